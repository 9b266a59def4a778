import type { Command } from 'commander';
import { renderProject, renderProjectVersions } from '../../report/insights/project.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

const ID = 'host, owner and repository: github.com/lodash/lodash';

/** GetProject and GetProjectPackageVersions. */
export function projectCommands(console: Console): readonly Command[] {
  return [
    operation(
      'project',
      'A code project with its scorecard and fuzzing coverage.',
      'github.com/lodash/lodash',
    )
      .argument('<id>', ID)
      .action((id: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.getProject(service, id, { signal }),
          renderProject,
        ),
      ),
    operation('project-versions', 'Package versions made from a project.', 'github.com/lodash/lodash')
      .argument('<id>', ID)
      .action((id: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.getProjectPackageVersions(service, id, { signal }),
          renderProjectVersions,
        ),
      ),
  ];
}
