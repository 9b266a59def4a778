import { type Command, Option } from 'commander';
import { loadOrDefault } from '../config/load-or-default.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { printable } from '../model/printable.ts';
import { type BomSource, SPEC_VERSIONS, type SpecVersion } from '../report/cyclonedx/source.ts';
import { EXIT } from './program/errors.ts';
import { type ConfigOptions, withConfig } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { writeParts } from './program/process-output.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface SbomOptions extends DestinationOptions, ConfigOptions {
  readonly as?: string;
  readonly name?: string;
  readonly specVersion: SpecVersion;
}

const EXAMPLES = `
Examples:
  lockhound sbom                              one BOM of every lockfile below this folder
  lockhound sbom package-lock.json --output bom.json
  lockhound sbom . --spec-version 1.7         CycloneDX 1.7
  lockhound scan . --format cyclonedx         the same with licences and vulnerabilities

Exit codes: 0 everything was read, 2 a file could not be read completely (the BOM says which).`;

export function sbomCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withDestinationOptions(command))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .addOption(
      new Option('--spec-version <version>', 'version of CycloneDX').choices(SPEC_VERSIONS).default('1.6'),
    )
    .option('--name <name>', 'name of what the lockfiles belong to (default: the name of the folder)')
    .option('--as <name>', 'read the named files as this format (`lockhound parse --formats` lists them)')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: SbomOptions) =>
      exit(await withDestination(terminal, options, (to) => sbom(to, paths, options))),
    );
}

async function sbom(terminal: Terminal, paths: readonly string[], options: SbomOptions): Promise<number> {
  const { as: format, name, specVersion } = options;
  const { lockfiles: limits } = (await loadOrDefault(options.config)).config;
  const { readForSbom } = await import('../commands/sbom.ts');
  const source = await interruptible((signal) => readForSbom({ paths, limits, signal, format, name }));
  const { renderCyclonedx } = await import('../report/cyclonedx/cyclonedx.ts');
  await writeParts(terminal, renderCyclonedx(source, specVersion));
  return reportUnread(terminal, source) ? EXIT.error : EXIT.clean;
}

/** Says on standard error what could not be read. Returns whether there was something. */
function reportUnread({ note }: Terminal, { lockfiles, unread }: BomSource): boolean {
  for (const { error } of unread) note(`not read: ${printable(error.message)}\n`);
  const partly = lockfiles.filter((one) => !isReadWhole(one));
  for (const { path, problems } of partly) {
    const [first] = problems.filter(({ kind }) => kind === 'unread');
    note(`not read completely: ${printable(`${path}: ${first?.message ?? ''}`)}\n`);
  }
  return unread.length + partly.length > 0;
}
