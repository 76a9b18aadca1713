"""Fixtures of live tables: those of the API's tests."""

from tests.api.conftest import client, database_url, either, postgres

__all__ = ["client", "database_url", "either", "postgres"]
