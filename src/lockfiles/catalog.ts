import { bunLock } from './bun-lock/format.ts';
import { cargoLock } from './cargo-lock/format.ts';
import { cyclonedxJson } from './cyclonedx-json/format.ts';
import { cyclonedxXml } from './cyclonedx-xml/format.ts';
import type { Format } from './format.ts';
import { gemfileLock } from './gemfile-lock/format.ts';
import { goMod } from './go-mod/format.ts';
import { goSum } from './go-sum/format.ts';
import { gradleLockfile } from './gradle-lockfile/format.ts';
import { gradleVerificationMetadata } from './gradle-verification-metadata/format.ts';
import { mavenPomXml } from './maven-pom-xml/format.ts';
import { npmPackageLock } from './npm-package-lock/format.ts';
import { nugetDepsJson } from './nuget-deps-json/format.ts';
import { nugetPackagesConfig } from './nuget-packages-config/format.ts';
import { nugetPackagesLock } from './nuget-packages-lock/format.ts';
import { pdmLock } from './pdm-lock/format.ts';
import { pipfileLock } from './pipfile-lock/format.ts';
import { pnpmLock } from './pnpm-lock/format.ts';
import { poetryLock } from './poetry-lock/format.ts';
import { pylockToml } from './pylock-toml/format.ts';
import { requirementsTxt } from './requirements-txt/format.ts';
import { spdxJson } from './spdx-json/format.ts';
import { spdxTagValue } from './spdx-tag-value/format.ts';
import { uvLock } from './uv-lock/format.ts';
import { yarnLock } from './yarn-lock/format.ts';

/** All formats. File names are compared first, then contents, both in this order. */
export const FORMATS: readonly Format[] = [
  bunLock,
  npmPackageLock,
  yarnLock,
  pnpmLock,
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
  cyclonedxJson,
  cyclonedxXml,
  spdxJson,
  spdxTagValue,
];

export function formatNamed(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name || format.aliases?.includes(name) === true);
}

/** The format of a file by its name and folder. */
export function formatOfName(path: string): Format | undefined {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) ?? '';
  return FORMATS.find(
    (format) =>
      format.fileNames.some((pattern) =>
        pattern.includes('/') ? matches(pattern, `${parts.at(-2) ?? ''}/${name}`) : matches(pattern, name),
      ) || isUnreadable(format, name),
  );
}

/** The format of a file by its name, else by the beginning of its content. */
export function detectFormat(path: string, head: string): Format | undefined {
  return formatOfName(path) ?? FORMATS.find((format) => format.recognises(head));
}

function isUnreadable({ unreadable }: Format, name: string): boolean {
  return unreadable !== undefined && Object.hasOwn(unreadable, name);
}

/** What to do about an unsupported file of a known tool; `undefined` for any other file. */
export function remedyFor(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return FORMATS.find((format) => isUnreadable(format, name))?.unreadable?.[name];
}

function matches(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  const end = pattern.slice(star + 1);
  return name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(end);
}
