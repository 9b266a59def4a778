// Generated from src/lockfiles/catalog.ts by `npm run generate`. Do not edit.
import type { KnownFormat } from './format.ts';

/** All formats by their names, in the order of the catalog. */
export const KNOWN_FORMATS: readonly KnownFormat[] = [
  {
    "name": "bun-lock",
    "fileNames": [
        "bun.lock"
    ],
    "unreadable": {
        "bun.lockb": "Bun's binary lockfile is not supported; run `bun install --save-text-lockfile` to get a bun.lock"
    },
    "overriddenBy": {
        "bun.lockb": "bun.lock"
    },
    "readsInOnePass": true,
    load: async () => (await import('./bun-lock/format.ts')).bunLock,
  },
  {
    "name": "npm-package-lock",
    "aliases": [
        "npm-package-lock-v1",
        "npm-package-lock-v2",
        "npm-package-lock-v3"
    ],
    "fileNames": [
        "package-lock.json",
        "npm-shrinkwrap.json",
        ".package-lock.json"
    ],
    "overriddenBy": {
        "package-lock.json": "npm-shrinkwrap.json"
    },
    "readsInOnePass": true,
    load: async () => (await import('./npm-package-lock/format.ts')).npmPackageLock,
  },
  {
    "name": "yarn-lock",
    "aliases": [
        "yarn-v1",
        "yarn-berry"
    ],
    "fileNames": [
        "yarn.lock"
    ],
    "readsInOnePass": true,
    load: async () => (await import('./yarn-lock/format.ts')).yarnLock,
  },
  {
    "name": "pnpm-lock",
    "aliases": [
        "pnpm-lock-v5.3",
        "pnpm-lock-v5.4",
        "pnpm-lock-v6.0",
        "pnpm-lock-v9.0"
    ],
    "fileNames": [
        "pnpm-lock.yaml",
        "shrinkwrap.yaml",
        "pnpm-lock.*.yaml"
    ],
    "readsInOnePass": true,
    load: async () => (await import('./pnpm-lock/format.ts')).pnpmLock,
  },
  {
    "name": "requirements-txt",
    "fileNames": [
        "requirements.txt",
        "requirements*.txt",
        "*requirements.txt",
        "*-requirements-*.txt",
        "requirements/*.txt"
    ],
    load: async () => (await import('./requirements-txt/format.ts')).requirementsTxt,
  },
  {
    "name": "poetry-lock",
    "fileNames": [
        "poetry.lock"
    ],
    load: async () => (await import('./poetry-lock/format.ts')).poetryLock,
  },
  {
    "name": "pipfile-lock",
    "fileNames": [
        "Pipfile.lock"
    ],
    load: async () => (await import('./pipfile-lock/format.ts')).pipfileLock,
  },
  {
    "name": "pdm-lock",
    "fileNames": [
        "pdm.lock",
        "pdm.*.lock"
    ],
    load: async () => (await import('./pdm-lock/format.ts')).pdmLock,
  },
  {
    "name": "uv-lock",
    "fileNames": [
        "uv.lock",
        "*.py.lock"
    ],
    load: async () => (await import('./uv-lock/format.ts')).uvLock,
  },
  {
    "name": "pylock-toml",
    "fileNames": [
        "pylock.toml",
        "pylock.*.toml"
    ],
    load: async () => (await import('./pylock-toml/format.ts')).pylockToml,
  },
  {
    "name": "go-mod",
    "fileNames": [
        "go.mod"
    ],
    load: async () => (await import('./go-mod/format.ts')).goMod,
  },
  {
    "name": "go-sum",
    "fileNames": [
        "go.sum",
        "go.work.sum"
    ],
    "overriddenBy": {
        "go.sum": "go.mod"
    },
    load: async () => (await import('./go-sum/format.ts')).goSum,
  },
  {
    "name": "cargo-lock",
    "fileNames": [
        "Cargo.lock"
    ],
    load: async () => (await import('./cargo-lock/format.ts')).cargoLock,
  },
  {
    "name": "gemfile-lock",
    "fileNames": [
        "Gemfile.lock",
        "gems.locked",
        "*.gemfile.lock"
    ],
    load: async () => (await import('./gemfile-lock/format.ts')).gemfileLock,
  },
  {
    "name": "maven-pom-xml",
    "fileNames": [
        "pom.xml",
        "*.pom"
    ],
    load: async () => (await import('./maven-pom-xml/format.ts')).mavenPomXml,
  },
  {
    "name": "gradle-lockfile",
    "fileNames": [
        "gradle.lockfile",
        "*gradle.lockfile"
    ],
    load: async () => (await import('./gradle-lockfile/format.ts')).gradleLockfile,
  },
  {
    "name": "gradle-verification-metadata",
    "fileNames": [
        "verification-metadata.xml"
    ],
    load: async () => (await import('./gradle-verification-metadata/format.ts')).gradleVerificationMetadata,
  },
  {
    "name": "nuget-packages-lock",
    "fileNames": [
        "packages.lock.json"
    ],
    load: async () => (await import('./nuget-packages-lock/format.ts')).nugetPackagesLock,
  },
  {
    "name": "nuget-packages-config",
    "fileNames": [
        "packages.config"
    ],
    load: async () => (await import('./nuget-packages-config/format.ts')).nugetPackagesConfig,
  },
  {
    "name": "nuget-deps-json",
    "fileNames": [
        "*.deps.json"
    ],
    load: async () => (await import('./nuget-deps-json/format.ts')).nugetDepsJson,
  },
  {
    "name": "cyclonedx-json",
    "fileNames": [
        "bom.json",
        "*.cdx.json",
        "*.cyclonedx.json"
    ],
    load: async () => (await import('./cyclonedx-json/format.ts')).cyclonedxJson,
  },
  {
    "name": "cyclonedx-xml",
    "fileNames": [
        "bom.xml",
        "*.cdx.xml",
        "*.cyclonedx.xml"
    ],
    load: async () => (await import('./cyclonedx-xml/format.ts')).cyclonedxXml,
  },
  {
    "name": "spdx-json",
    "fileNames": [
        "*.spdx.json"
    ],
    load: async () => (await import('./spdx-json/format.ts')).spdxJson,
  },
  {
    "name": "spdx-tag-value",
    "fileNames": [
        "*.spdx",
        "*.spdx.tv"
    ],
    load: async () => (await import('./spdx-tag-value/format.ts')).spdxTagValue,
  },
];
