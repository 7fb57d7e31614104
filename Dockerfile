# docker build --tag mmsim .
# docker run --rm --volume "$PWD:/work" --user "$(id -u):$(id -g)" mmsim demo
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /mmsim \
    && /mmsim/bin/pip install --no-cache-dir --disable-pip-version-check '.[cluster,design,export]'

FROM python:${PYTHON}-slim
COPY --from=build /mmsim /mmsim
RUN useradd --uid 1000 --create-home mmsim && mkdir /work && chown mmsim /work
ENV PATH=/mmsim/bin:$PATH MPLCONFIGDIR=/tmp/matplotlib
USER 1000
WORKDIR /work
VOLUME /work
ENTRYPOINT ["mmsim"]
CMD ["--help"]
