FROM node:20-bookworm-slim AS assets
WORKDIR /src/assets
COPY assets/package.json assets/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY assets/ ./
RUN npm run build

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=assets /src/assets/dist ./assets/dist
COPY --from=assets /src/assets/node_modules ./assets/node_modules
# Go takes the version from the tag in .git, which is part of the context for that.
RUN go tool templ generate -path web -log-level error && go run ./cmd/release -licences assets/dist/licences.txt && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /housecount ./cmd/housecount && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /housecount /housecount
COPY --from=build --chown=nonroot:nonroot /data /data
ENV HOUSECOUNT_LISTEN=:8080
# The database is housecount.db in here, unless --database says otherwise.
WORKDIR /data
VOLUME /data
EXPOSE 8080
USER nonroot
HEALTHCHECK --interval=30s --timeout=4s --start-period=20s CMD ["/housecount", "health"]
ENTRYPOINT ["/housecount"]
CMD ["serve"]
