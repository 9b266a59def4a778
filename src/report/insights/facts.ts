import type {
  Advisory,
  Capabilities,
  ContainerImages,
  Dependents,
} from '../../model/api/insights-api.generated.ts';
import { counted, decimal, grouped, heading, line, renderer, rows, table } from './view.ts';

/** An advisory. A score of 0 with an empty vector is a default and not a score. */
export const renderAdvisory = renderer((advisory: Advisory) => {
  const { cvss3Score, cvss3Vector = '', aliases = [] } = advisory;
  const scored = cvss3Score !== 0 || cvss3Vector !== '';
  return [
    heading(advisory.advisoryKey?.id ?? ''),
    rows([
      ['title', [advisory.title]],
      ['aliases', [aliases.join(', ')]],
      ['CVSS v3', [scored ? `${decimal(cvss3Score)}  ${cvss3Vector}`.trimEnd() : 'no score']],
      ['url', [advisory.url]],
    ]),
  ];
});

/** The total may be less than the sum: a package can depend on a version both directly and indirectly. */
export const renderDependents = renderer(
  ({ dependentCount, directDependentCount, indirectDependentCount }: Dependents) => [
    line(
      `${grouped(dependentCount)} dependents: ${grouped(directDependentCount)} direct, ${grouped(indirectDependentCount)} indirect`,
    ),
  ],
);

/** Each capability with the number of calls that lead to it, from the package itself and through dependencies. */
export const renderCapabilities = renderer(({ capabilities }: Capabilities) => {
  if (capabilities === undefined) return [line('Capabilities unknown.')];
  if (capabilities.length === 0) return [line('No capabilities.')];
  return [
    table([
      ['capability', 'direct', 'indirect'],
      ...capabilities.map(({ capability = '', directCount, indirectCount }) => [
        capability,
        grouped(directCount),
        grouped(indirectCount),
      ]),
    ]),
  ];
});

/** The repositories of images that contain the chain of layers. */
export const renderContainerImages = renderer(({ results }: ContainerImages) => [
  table(
    (results ?? []).map(({ repository = '' }) => [repository]),
    '',
  ),
  line(counted(results?.length, 'image repository', 'image repositories')),
]);
