# A static binary and nothing else: docker build -t sprag --build-arg COMMIT=$(git rev-parse HEAD) .
# The digest is that of the image for all platforms; the tag beside it is for the reader.
FROM rust:1.95-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
RUN apk add --no-cache musl-dev gcc make ca-certificates
WORKDIR /src
COPY . .
ARG COMMIT=""
ENV SPRAG_COMMIT=$COMMIT
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --package sprag-cli && cp target/release/sprag /sprag
# Writable by the user below: where `sprag serve` keeps its data, and where manifests are mounted.
RUN mkdir -p /out/data /out/work /out/tmp

FROM scratch
COPY --from=build /sprag /usr/local/bin/sprag
# Webhooks without a `caBundle` are judged by these.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/work /work
# COPY does not keep the mode of a folder, so the user owns it.
COPY --from=build --chown=65532:65532 /out/tmp /tmp
USER 65532:65532
WORKDIR /work
EXPOSE 6443
ENTRYPOINT ["/usr/local/bin/sprag"]
CMD ["--help"]
