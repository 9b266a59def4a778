import { bunLock } from './bun-lock/format.ts';
import { cargoLock } from './cargo-lock/format.ts';
import { cyclonedxJson } from './cyclonedx-json/format.ts';
import { cyclonedxXml } from './cyclonedx-xml/format.ts';
import { denoLock } from './deno-lock/format.ts';
import type { Format } from './format.ts';
import { gemfileLock } from './gemfile-lock/format.ts';
import { goMod } from './go-mod/format.ts';
import { goSum } from './go-sum/format.ts';
import { gradleLockfile } from './gradle-lockfile/format.ts';
import { gradleVerificationMetadata } from './gradle-verification-metadata/format.ts';
import { formatNamed, formatOfName } from './known-formats.ts';
import { mavenPomXml } from './maven-pom-xml/format.ts';
import { npmPackageLock } from './npm-package-lock/format.ts';
import { nugetDepsJson } from './nuget-deps-json/format.ts';
import { nugetPackagesConfig } from './nuget-packages-config/format.ts';
import { nugetPackagesLock } from './nuget-packages-lock/format.ts';
import { pdmLock } from './pdm-lock/format.ts';
import { pipfileLock } from './pipfile-lock/format.ts';
import { condaLock, pixiLock } from './plain-lists/conda.ts';
import { composerLock, conanLock, packageResolved, renvLock } from './plain-lists/json.ts';
import { juliaManifest } from './plain-lists/julia.ts';
import { paketLock } from './plain-lists/paket.ts';
import { cabalFreeze, cartfileResolved, mixLock, rebarLock, terraformLock } from './plain-lists/text.ts';
import { chartLock, podfileLock, pubspecLock, shardLock, stackLock } from './plain-lists/yaml.ts';
import { pnpmLock } from './pnpm-lock/format.ts';
import { poetryLock } from './poetry-lock/format.ts';
import { pylockToml } from './pylock-toml/format.ts';
import { requirementsTxt } from './requirements-txt/format.ts';
import { spdxJson } from './spdx-json/format.ts';
import { spdxTagValue } from './spdx-tag-value/format.ts';
import { uvLock } from './uv-lock/format.ts';
import { yarnLock } from './yarn-lock/format.ts';

/** All formats. File names are compared first, then contents, both in this order. Code that needs only names uses `known-formats.ts`. */
export const FORMATS: readonly Format[] = [
  bunLock,
  npmPackageLock,
  yarnLock,
  pnpmLock,
  denoLock,
  requirementsTxt,
  poetryLock,
  pipfileLock,
  pdmLock,
  uvLock,
  pylockToml,
  goMod,
  goSum,
  cargoLock,
  gemfileLock,
  mavenPomXml,
  gradleLockfile,
  gradleVerificationMetadata,
  nugetPackagesLock,
  nugetPackagesConfig,
  nugetDepsJson,
  paketLock,
  pixiLock,
  condaLock,
  composerLock,
  pubspecLock,
  packageResolved,
  cartfileResolved,
  podfileLock,
  mixLock,
  rebarLock,
  conanLock,
  cabalFreeze,
  stackLock,
  renvLock,
  terraformLock,
  juliaManifest,
  shardLock,
  chartLock,
  cyclonedxJson,
  cyclonedxXml,
  spdxJson,
  spdxTagValue,
];

/** The format of a file: that which was requested, or by its name, else by the beginning of its content. */
export function detectFormat(path: string, head: string, requested?: string | undefined): Format | undefined {
  const known = requested === undefined ? formatOfName(path) : formatNamed(requested);
  if (known !== undefined) return FORMATS.find(({ name }) => name === known.name);
  return requested === undefined ? formatOfContent(head) : undefined;
}

/** The format of a text by its beginning. */
export function formatOfContent(head: string): Format | undefined {
  return FORMATS.find((format) => format.recognises(head));
}
