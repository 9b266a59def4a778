import { z } from 'zod';
import { API_SYSTEMS } from '../../model/lockfile/ecosystem.ts';

const requirements = z.record(z.string(), z.string());

const count = z.int().min(0);
const capability = z.object({ capability: z.string(), directCount: count, indirectCount: count });

/** Findings as they are served, besides those that follow from other facts: `{"type": "REMEDIATION", "risk": "RISK_INFORMATIONAL"}`. */
const findings = z.array(z.looseObject({ type: z.string(), risk: z.string() }));

const slsaProvenance = z.object({
  sourceRepository: z.string(),
  commit: z.string(),
  url: z.string(),
  verified: z.boolean(),
});
const attestation = slsaProvenance.extend({ type: z.string() });

export const relatedProject = z.object({
  /** `host/owner/repository`, in lower case. */
  id: z.string(),
  relationType: z.enum(['SOURCE_REPO', 'ISSUE_TRACKER']),
  relationProvenance: z.enum([
    'SLSA_ATTESTATION',
    'GO_ORIGIN',
    'PYPI_PUBLISH_ATTESTATION',
    'RUBYGEMS_PUBLISH_ATTESTATION',
    'UNVERIFIED_METADATA',
  ]),
});

/** A manifest in the archive of an npm package. */
const bundledManifest = z.object({
  path: z.string(),
  name: z.string(),
  version: z.string(),
  dependencies: requirements.optional(),
  optionalDependencies: requirements.optional(),
  peerDependencies: requirements.optional(),
  devDependencies: requirements.optional(),
  bundleDependencies: z.array(z.string()).optional(),
});

export const indexedVersion = z.object({
  version: z.string(),
  /** As the package's metadata has it; absent when it has none. */
  license: z.string().optional(),
  /** RFC 3339, when the registry has it. */
  publishedAt: z.string().optional(),
  /** The registry's message; present on deprecated versions only. */
  deprecated: z.string().optional(),
  /** Digests of the artifact as subresource integrity, several separated by spaces: `md5-… sha1-… sha256-… sha512-…`. */
  integrity: z.string().optional(),
  /** URL by label: `HOMEPAGE`, `ISSUE_TRACKER`, `SOURCE_REPO`, … */
  links: z.record(z.string(), z.string()).optional(),
  /** The dependencies; absent when the graph of this version was not computed. */
  dependencies: requirements.optional(),
  optionalDependencies: requirements.optional(),
  peerDependencies: requirements.optional(),
  devDependencies: requirements.optional(),
  bundleDependencies: z.array(z.string()).optional(),
  /** npm only. */
  bundled: z.array(bundledManifest).optional(),
  /** Go only; absent: it was not analysed. */
  capabilities: z.array(capability).optional(),
  slsaProvenances: z.array(slsaProvenance).optional(),
  attestations: z.array(attestation).optional(),
  /** Projects with a stronger provenance than links. */
  projects: z.array(relatedProject).optional(),
  upstreamIdentifiers: z
    .array(z.object({ packageName: z.string(), versionString: z.string(), source: z.string() }))
    .optional(),
  projectStatus: z.object({ status: z.string(), reason: z.string() }).optional(),
  /** `end` is RFC 3339. */
  cooldown: z.object({ end: z.string(), description: z.string().optional() }).optional(),
  findings: findings.optional(),
  /** URLs of the artifacts, when they do not follow from name and version. */
  artifacts: z.array(z.string()).optional(),
  /** Requirements and graph as they are served, when they do not follow from `dependencies`. */
  requirements: z.looseObject({}).optional(),
  graph: z.looseObject({}).optional(),
});

export const indexedPackage = z.object({
  system: z.enum(API_SYSTEMS).default('NPM'),
  /** Canonical. */
  name: z.string(),
  /** The version that is installed by default. */
  default: z.string().optional(),
  versions: z.array(indexedVersion),
  /** Versions that the registry does not have, such as those that were taken down: a partial data set covers these, too. */
  absent: z.array(z.string()).optional(),
  /** Similar names in the same system. */
  similar: z.array(z.string()).optional(),
  /** The findings about every version. */
  findings: findings.optional(),
});

export const advisoryFact = z.object({
  id: z.string(),
  title: z.string(),
  aliases: z.array(z.string()),
  /** CVSS v3; absent when the advisory has none. */
  score: z.number().optional(),
  vector: z.string().optional(),
  affected: z.array(
    z.object({
      system: indexedPackage.shape.system,
      name: z.string(),
      /** A semver range; for systems other than npm and Cargo one exact version. */
      range: z.string(),
    }),
  ),
  /** An advisory that is held back is not served before `learnAdvisory`. */
  heldBack: z.boolean().default(false),
});

export const projectFact = z.object({
  /** `host/owner/repository`, in lower case. */
  id: z.string(),
  openIssuesCount: count.optional(),
  starsCount: count.optional(),
  forksCount: count.optional(),
  license: z.string().optional(),
  description: z.string().optional(),
  homepage: z.string().optional(),
  /** The scorecard as it is served. */
  scorecard: z.looseObject({}).optional(),
  ossFuzz: z.looseObject({}).optional(),
});

export const imageFact = z.object({
  /** OCI chain identifier. */
  chainId: z.string(),
  repositories: z.array(z.string()),
});

export const samples = z.object({
  packages: z.array(indexedPackage).default([]),
  projects: z.array(projectFact).default([]),
  images: z.array(imageFact).default([]),
});
