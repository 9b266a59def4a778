import { Argument, type Command } from 'commander';
import type { System, VersionKey } from '../../model/lockfile/version-key.ts';
import { keyText, renderDependencyTree } from '../../report/dependency-tree.ts';
import type { CommandContext } from '../program/context.ts';
import { batch } from './batch.ts';
import { readTextItem, readVersionItem } from './batch-file.ts';
import { query } from './query.ts';
import { type Subject, single } from './single.ts';
import { readSystem } from './systems.ts';

const SYSTEM = new Argument('<system>', 'npm, pypi, cargo, maven, nuget, rubygems or go').argParser(
  readSystem,
);
const NAME = new Argument(
  '<name>',
  'as the ecosystem writes it: @types/node, group:artifact, golang.org/x/net',
);

const PACKAGE: Subject<Omit<VersionKey, 'version'>> = {
  parameters: [SYSTEM, NAME],
  read: ([system = '', name = '']) => ({ system: system as System, name }),
};
const VERSION: Subject<VersionKey> = {
  parameters: [SYSTEM, NAME, new Argument('<version>', 'one exact version')],
  read: ([system = '', name = '', version = '']) => ({ system: system as System, name, version }),
};
const PROJECT = textSubject('<id>', 'host, owner and repository: github.com/lodash/lodash');

/** What the line of a version shows. */
const VERSION_LINE = ['publishedAt', 'licenses', 'isDeprecated', 'advisoryKeys'] as const;

/** All operations: what each is called, asks for and prints. */
export const OPERATIONS: readonly ((context: CommandContext) => Command)[] = [
  single(PACKAGE, {
    name: 'package',
    description: 'A package and its versions.',
    example: 'npm lodash',
    ask: ({ getPackage }) => getPackage,
    method: 'getPackage',
  }),
  single(PACKAGE, {
    name: 'similar',
    description: 'Packages whose names could be mistaken for this one.',
    example: 'npm lodash',
    ask: ({ getSimilarlyNamedPackages }) => getSimilarlyNamedPackages,
    method: 'getSimilarlyNamedPackages',
  }),
  single(VERSION, {
    name: 'version',
    description: 'A version: licences, advisories, links, provenance.',
    example: 'npm lodash 4.17.21',
    ask: ({ getVersion }) => getVersion,
    method: 'getVersion',
  }),
  single(VERSION, {
    name: 'requirements',
    description: 'The requirements that a version declares (npm, Maven, NuGet, RubyGems).',
    example: 'npm express 4.18.2',
    ask: ({ getRequirements }) => getRequirements,
    method: 'getRequirements',
  }),
  single(VERSION, {
    name: 'dependencies',
    description: 'The resolved graph of a version as a tree (npm, Cargo, Maven, PyPI).',
    example: 'npm express 4.18.2',
    ask: ({ getDependencies }) => getDependencies,
    method: 'getDependencies',
    render: renderDependencyTree,
    absence: 'The index has not computed a graph for it; that does not mean that it depends on nothing.',
  }),
  single(VERSION, {
    name: 'dependents',
    description: 'The number of packages that depend on a version (npm, Cargo, Maven, PyPI).',
    example: 'npm lodash 4.17.21',
    ask: ({ getDependents }) => getDependents,
    method: 'getDependents',
  }),
  single(VERSION, {
    name: 'capabilities',
    description: 'What a version can do to the system it runs on (Go).',
    example: 'go golang.org/x/net v0.17.0',
    ask: ({ getCapabilities }) => getCapabilities,
    method: 'getCapabilities',
  }),
  single(PROJECT, {
    name: 'project',
    description: 'A code project with its scorecard and fuzzing coverage.',
    example: 'github.com/lodash/lodash',
    ask: ({ getProject }) => getProject,
    method: 'getProject',
  }),
  single(PROJECT, {
    name: 'project-versions',
    description: 'Package versions built from a project.',
    example: 'github.com/lodash/lodash',
    ask: ({ getProjectPackageVersions }) => getProjectPackageVersions,
    method: 'getProjectPackageVersions',
  }),
  single(textSubject('<id>', 'OSV identifier'), {
    name: 'advisory',
    description: 'A security advisory of the OSV database.',
    example: 'GHSA-35jh-r3h4-6jhm',
    ask: ({ getAdvisory }) => getAdvisory,
    method: 'getAdvisory',
  }),
  single(textSubject('<purl>', 'without qualifiers and subpath'), {
    name: 'purl',
    description: 'A package, or a version of it, by package URL.',
    example: 'pkg:npm/%40types/node@20.11.0',
    ask: ({ purlLookup }) => purlLookup,
    method: 'purlLookup',
  }),
  single(textSubject('<chain-id>', 'OCI chain identifier'), {
    name: 'container-images',
    description: 'Image repositories that contain exactly this chain of layers.',
    example: 'sha256:<64 hex digits>',
    ask: ({ queryContainerImages }) => queryContainerImages,
    method: 'queryContainerImages',
  }),
  query,
  batch({
    name: 'versions',
    description: 'Many versions at once.',
    example: '--file versions.txt   (npm lodash 4.17.21)',
    read: readVersionItem,
    run: ({ versions }) => versions,
    subject: keyText,
    shows: { method: 'getVersion', properties: ['versionKey', ...VERSION_LINE] },
    asSent: (versionKey) => ({ versionKey }),
  }),
  batch({
    name: 'projects',
    description: 'Many projects at once.',
    example: '--file projects.txt   (github.com/lodash/lodash)',
    read: readTextItem('id'),
    run: ({ projects }) => projects,
    subject: (id) => id,
    shows: { method: 'getProject', properties: ['projectKey', 'license', 'starsCount'] },
    asSent: (id) => ({ projectKey: { id } }),
  }),
  batch({
    name: 'purls',
    description: 'Many purls at once, each with a version.',
    example: '--file purls.txt   (pkg:npm/lodash@4.17.21)',
    read: readTextItem('purl'),
    run: ({ purls }) => purls,
    subject: (purl) => purl,
    shows: { method: 'purlLookup', properties: ['purl', ...VERSION_LINE] },
    asSent: (purl) => ({ purl }),
  }),
];

function textSubject(name: string, description: string): Subject<string> {
  return { parameters: [new Argument(name, description)], read: ([text = '']) => text };
}
