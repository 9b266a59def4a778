import type { TextOptions } from '../text.ts';
import { columns, grouped, lines } from './text.ts';

export interface DependentsText {
  readonly dependentCount?: number | string;
  readonly directDependentCount?: number | string;
  readonly indirectDependentCount?: number | string;
}

/** The total may be less than the sum: some depend on a version both ways. */
export function renderDependents(dependents: DependentsText, _options: TextOptions): string {
  const { dependentCount, directDependentCount, indirectDependentCount } = dependents;
  return lines([
    `${grouped(dependentCount)} dependents: ${grouped(directDependentCount)} direct, ${grouped(indirectDependentCount)} indirect`,
  ]);
}

export interface CapabilitiesText {
  readonly capabilities?: readonly {
    readonly capability?: string;
    readonly directCount?: number | string;
    readonly indirectCount?: number | string;
  }[];
}

/** Each capability with how many calls lead to it, from the package itself and by way of others. */
export function renderCapabilities({ capabilities }: CapabilitiesText, _options: TextOptions): string {
  if (capabilities === undefined) return 'Capabilities unknown.\n';
  if (capabilities.length === 0) return 'No capabilities.\n';
  return lines(
    columns([
      ['capability', 'direct', 'indirect'],
      ...capabilities.map(({ capability = '', directCount, indirectCount }) => [
        capability,
        grouped(directCount),
        grouped(indirectCount),
      ]),
    ]),
  );
}
