import type { Capabilities, Dependents } from '../../model/api/insights-api.generated.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { grouped, table } from './text.ts';

/** The total may be less than the sum: some depend on a version both ways. */
export function renderDependents(dependents: Dependents, options: TextOptions): string {
  const { dependentCount, directDependentCount, indirectDependentCount } = dependents;
  return fitLines(
    [
      `${grouped(dependentCount)} dependents: ${grouped(directDependentCount)} direct, ${grouped(indirectDependentCount)} indirect`,
    ],
    options,
  );
}

/** Each capability with how many calls lead to it, from the package itself and by way of others. */
export function renderCapabilities({ capabilities }: Capabilities, options: TextOptions): string {
  if (capabilities === undefined) return 'Capabilities unknown.\n';
  if (capabilities.length === 0) return 'No capabilities.\n';
  return fitLines(
    table(
      [
        ['capability', 'direct', 'indirect'],
        ...capabilities.map(({ capability = '', directCount, indirectCount }) => [
          capability,
          grouped(directCount),
          grouped(indirectCount),
        ]),
      ],
      options,
    ),
    options,
  );
}
