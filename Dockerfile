# Builds dist/ with the pinned toolchain, then keeps only what runs. Another base: --build-arg NODE_IMAGE=node:24.x.y-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# Optional packages are for trying things (the embedded engine) or native.
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# Schedules read repositories with git.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/apis ./apis
COPY --from=build /app/data ./data
COPY --from=build /app/examples ./examples
# By number: an orchestrator can check that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "/app/bin/lockhound.js"]
CMD ["worker"]
