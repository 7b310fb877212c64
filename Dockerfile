# The service, `tt serve`: docs/hosting.md. Settings are the environment variables of its options, such as TT_PUBLIC_URL.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The scripts of packages are not needed: their native parts are in the packages.
RUN npm ci --ignore-scripts
COPY LICENSE ./
COPY bin bin
COPY src src
COPY completions completions
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /dependencies
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=dependencies /dependencies/node_modules node_modules
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/completions completions
# For administration in a running container: tt admin.
RUN ln -s /app/bin/tt.js /usr/local/bin/tt
# The user `node` of the base image, by number: Kubernetes accepts only that as proof of a user other than root.
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
ENV NODE_ENV=production \
    TT_HOME=/data/home \
    TT_DATABASE=sqlite:/data/tt.db \
    TT_HOST=0.0.0.0 \
    TT_PORT=8320 \
    TT_LOG_FORMAT=json
EXPOSE 8320
# Stops being healthy while the database is lost or the server stops.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.TT_PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/app/bin/tt.js", "serve"]
