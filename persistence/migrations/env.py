"""Alembic's way in. It always runs inside the program, on the connection that the program opened."""

from alembic import context

from persistence.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
