# Two stages: the first builds an environment from the lock file, the second carries only that environment.
FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/rummy
COPY requirements-run.lock ./
RUN /opt/rummy/bin/pip install --require-hashes -r requirements-run.lock
COPY pyproject.toml ./
COPY domain domain
COPY persistence persistence
COPY api api
RUN /opt/rummy/bin/pip install --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home rummy
COPY --from=build /opt/rummy /opt/rummy
ENV PATH=/opt/rummy/bin:$PATH PYTHONUNBUFFERED=1 \
    RUMMY_HOST=0.0.0.0 RUMMY_PORT=8000 RUMMY_DATABASE_URL=sqlite+aiosqlite:////data/rummy.sqlite
USER rummy
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["python", "-c", \
    "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['RUMMY_PORT'] + '/health/ready', timeout=2)"]
CMD ["rummy", "serve"]
