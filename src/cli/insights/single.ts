import { Argument, type Command } from 'commander';
import type { InsightsAnswer, InsightsSession } from '../../commands/insights-session.ts';
import type { System, VersionKey } from '../../model/scan/version-key.ts';
import { renderAdvisory } from '../../report/insights/advisory.ts';
import { renderCapabilities, renderDependents } from '../../report/insights/counts.ts';
import { renderDependencyTree } from '../../report/insights/dependency-tree.ts';
import { renderContainerImages, renderPurl } from '../../report/insights/found.ts';
import { renderPackage, renderSimilar } from '../../report/insights/package.ts';
import { renderProject, renderProjectVersions } from '../../report/insights/project.ts';
import { renderRequirements } from '../../report/insights/requirements.ts';
import { renderVersion } from '../../report/insights/version.ts';
import type { TextOptions } from '../../report/layout.ts';
import { systemArgument } from './arguments.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

/** An operation with one subject and one answer. */
interface SingleOperation<Subject, Value> {
  readonly name: string;
  readonly description: string;
  /** Arguments of the example in `--help`. */
  readonly example: string;
  /** The operation of the client. */
  readonly ask: (operations: InsightsSession['operations']) => Ask<Subject, Value>;
  readonly render: (value: Value, options: TextOptions) => string;
  /** What "not found" means where it may be misunderstood. */
  readonly absence?: string;
}

type Ask<Subject, Value> = (
  service: InsightsSession['service'],
  subject: Subject,
  options: { readonly signal: AbortSignal },
) => Promise<InsightsAnswer<Value>>;

const NAME = ['<name>', 'as the ecosystem writes it: @types/node, group:artifact, golang.org/x/net'] as const;
const PROJECT = ['<id>', 'host, owner and repository: github.com/lodash/lodash'] as const;

/** The operations that ask for one package, version, project or identifier. */
export function singleCommands(console: Console): readonly Command[] {
  const ofPackage = commandsOf<Omit<VersionKey, 'version'>>(
    console,
    () => [systemArgument(), new Argument(...NAME)],
    ([system = '', name = '']) => ({ system: system as System, name }),
  );
  const ofVersion = commandsOf<VersionKey>(
    console,
    () => [systemArgument(), new Argument(...NAME), new Argument('<version>', 'one exact version')],
    ([system = '', name = '', version = '']) => ({ system: system as System, name, version }),
  );
  const ofText = (name: string, description: string) =>
    commandsOf<string>(
      console,
      () => [new Argument(name, description)],
      ([text = '']) => text,
    );
  return [
    ofPackage({
      name: 'package',
      description: 'A package and its versions.',
      example: 'npm lodash',
      ask: ({ getPackage }) => getPackage,
      render: renderPackage,
    }),
    ofPackage({
      name: 'similar',
      description: 'Packages whose names could be taken for this one.',
      example: 'npm lodash',
      ask: ({ getSimilarlyNamedPackages }) => getSimilarlyNamedPackages,
      render: renderSimilar,
    }),
    ofVersion({
      name: 'version',
      description: 'A version: licences, advisories, links, provenance.',
      example: 'npm lodash 4.17.21',
      ask: ({ getVersion }) => getVersion,
      render: renderVersion,
    }),
    ofVersion({
      name: 'requirements',
      description: 'What a version asks for, as it declares it (npm, Maven, NuGet, RubyGems).',
      example: 'npm express 4.18.2',
      ask: ({ getRequirements }) => getRequirements,
      render: renderRequirements,
    }),
    ofVersion({
      name: 'dependencies',
      description: 'The resolved graph of a version as a tree (npm, Cargo, Maven, PyPI).',
      example: 'npm express 4.18.2',
      ask: ({ getDependencies }) => getDependencies,
      render: renderDependencyTree,
      absence: 'The index has not computed a graph for it; that does not mean that it depends on nothing.',
    }),
    ofVersion({
      name: 'dependents',
      description: 'How many packages depend on a version (npm, Cargo, Maven, PyPI).',
      example: 'npm lodash 4.17.21',
      ask: ({ getDependents }) => getDependents,
      render: renderDependents,
    }),
    ofVersion({
      name: 'capabilities',
      description: 'What a version may do to the system it runs on (Go).',
      example: 'go golang.org/x/net v0.17.0',
      ask: ({ getCapabilities }) => getCapabilities,
      render: renderCapabilities,
    }),
    ofText(...PROJECT)({
      name: 'project',
      description: 'A code project with its scorecard and fuzzing coverage.',
      example: 'github.com/lodash/lodash',
      ask: ({ getProject }) => getProject,
      render: renderProject,
    }),
    ofText(...PROJECT)({
      name: 'project-versions',
      description: 'Package versions made from a project.',
      example: 'github.com/lodash/lodash',
      ask: ({ getProjectPackageVersions }) => getProjectPackageVersions,
      render: renderProjectVersions,
    }),
    ofText(
      '<id>',
      'OSV identifier',
    )({
      name: 'advisory',
      description: 'A security advisory of the OSV database.',
      example: 'GHSA-35jh-r3h4-6jhm',
      ask: ({ getAdvisory }) => getAdvisory,
      render: renderAdvisory,
    }),
    ofText(
      '<purl>',
      'without qualifiers and subpath',
    )({
      name: 'purl',
      description: 'A package, or a version of it, by package URL.',
      example: 'pkg:npm/%40types/node@20.11.0',
      ask: ({ purlLookup }) => purlLookup,
      render: renderPurl,
    }),
    ofText(
      '<chain-id>',
      'OCI chain identifier',
    )({
      name: 'container-images',
      description: 'Image repositories that hold exactly this chain of layers.',
      example: 'sha256:<64 hex digits>',
      ask: ({ queryContainerImages }) => queryContainerImages,
      render: renderContainerImages,
    }),
  ];
}

/** Makes commands of operations that have the same kind of subject. */
function commandsOf<Subject>(
  console: Console,
  parameters: () => readonly Argument[],
  subjectOf: (values: readonly string[]) => Subject,
) {
  return <Value>(single: SingleOperation<Subject, Value>): Command => {
    const command = operation(single.name, single.description, single.example);
    for (const parameter of parameters()) command.addArgument(parameter);
    return command.action((...given: readonly unknown[]) => {
      const subject = subjectOf(command.processedArgs);
      const ask = ({ operations, service }: InsightsSession, signal: AbortSignal) =>
        single.ask(operations)(service, subject, { signal });
      const options = given.at(-2) as OperationOptions;
      return answer(console, options, ask, single.render, single.absence);
    });
  };
}
