import { cyclonedxJson } from './cyclonedx-json/format.ts';
import { cyclonedxXml } from './cyclonedx-xml/format.ts';
import type { Format } from './format.ts';
import { gradleLockfile } from './gradle-lockfile/format.ts';
import { gradleVerificationMetadata } from './gradle-verification-metadata/format.ts';
import { mavenPomXml } from './maven-pom-xml/format.ts';
import { npmPackageLock } from './npm-package-lock/format.ts';
import { nugetDepsJson } from './nuget-deps-json/format.ts';
import { nugetPackagesConfig } from './nuget-packages-config/format.ts';
import { nugetPackagesLock } from './nuget-packages-lock/format.ts';
import { spdxJson } from './spdx-json/format.ts';
import { spdxTagValue } from './spdx-tag-value/format.ts';

/** Every format there is. Names are looked at first, in this order; then content. */
export const FORMATS: readonly Format[] = [
  npmPackageLock,
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
  return FORMATS.find((format) => format.name === name);
}

/** The format of a file by its name alone. */
export function formatOfName(path: string): Format | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return FORMATS.find((format) => format.fileNames.some((pattern) => matches(pattern, name)));
}

/** The format of a file by its name, else by how its content begins. */
export function detectFormat(path: string, head: string): Format | undefined {
  return formatOfName(path) ?? FORMATS.find((format) => format.recognises(head));
}

function matches(pattern: string, name: string): boolean {
  return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern;
}
