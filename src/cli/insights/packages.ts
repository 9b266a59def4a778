import type { Command } from 'commander';
import type { System } from '../../model/version-record.ts';
import { renderPackage, renderSimilar } from '../../report/insights/package.ts';
import { nameArgument, systemArgument } from './arguments.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

/** GetPackage and GetSimilarlyNamedPackages. */
export function packageCommands(console: Console): readonly Command[] {
  return [
    operation('package', 'A package and its versions.', 'npm lodash')
      .addArgument(systemArgument())
      .addArgument(nameArgument())
      .action((system: System, name: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.getPackage(service, { system, name }, { signal }),
          renderPackage,
        ),
      ),
    operation('similar', 'Packages whose names could be taken for this one.', 'npm lodash')
      .addArgument(systemArgument())
      .addArgument(nameArgument())
      .action((system: System, name: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) =>
            operations.getSimilarlyNamedPackages(service, { system, name }, { signal }),
          renderSimilar,
        ),
      ),
  ];
}
