# Builds dist/ with the pinned toolchain, then keeps only what runs.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
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
