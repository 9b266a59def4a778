import type { Advisory } from '../../model/api/insights-api.generated.ts';
import { fitLines, type TextOptions } from '../layout.ts';
import { decimal, heading, paletteOf, rows } from './text.ts';

/** An advisory; a score of 0 beside an empty vector is a default, not a score. */
export function renderAdvisory(advisory: Advisory, options: TextOptions): string {
  const paint = paletteOf(options);
  const { cvss3Score, cvss3Vector = '', aliases = [] } = advisory;
  const scored = cvss3Score !== 0 || cvss3Vector !== '';
  return fitLines(
    [
      heading(advisory.advisoryKey?.id ?? '', paint),
      ...rows(
        [
          ['title', [advisory.title]],
          ['aliases', [aliases.join(', ')]],
          ['CVSS v3', [scored ? `${decimal(cvss3Score)}  ${cvss3Vector}`.trimEnd() : 'no score']],
          ['url', [advisory.url]],
        ],
        options,
      ),
    ],
    options,
  );
}
