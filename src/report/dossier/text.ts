import type { Dossier, DossierStatement } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from '../layout.ts';
import { labelsText } from '../packages.ts';
import { STAGES } from './csaf.ts';
import { productName, statusText, timeOfPackage } from './parts.ts';

/** A dossier for people on a terminal: statements by target, and the questions that are open. */
export function dossierText(
  dossier: Dossier,
  { limit, ...options }: TextOptions & { readonly limit: number },
): string {
  const { subject, stage, vulnerabilities, count, counts, statements, decisions } = dossier;
  const paint = palette(options.colour);
  if (count === 0)
    return fitLines(
      [`No target is known to hold or to have held what ${printable(subject)} names.`],
      options,
    );
  const shown = statements.slice(0, limit);
  const stated = Object.entries(counts).map(([status, many]) => `${many} ${status.replaceAll('_', ' ')}`);
  return fitLines(
    [
      `${paint.strong(printable(subject))}: draft of the ${STAGES[stage]}`,
      ...vulnerabilities.flatMap(({ id, title = '', severity = '', exploited }) =>
        hang(
          '  ',
          printable(
            [id, severity, exploited === true ? 'known to be exploited' : '', title]
              .filter(Boolean)
              .join('  '),
          ),
          options.width,
        ),
      ),
      '',
      ...shown.flatMap((one) => statementLines(one, paint, options.width)),
      ...(count > shown.length
        ? [paint.faint(`… and ${counted(count - shown.length, 'more statement')}: --limit shows them`)]
        : []),
      '',
      `${counted(count, 'statement')}: ${stated.join(', ')}.`,
      '',
      paint.strong('A person has to decide:'),
      ...decisions.flatMap(({ question, known }) =>
        hang('  ', printable(known === undefined ? question : `${question} Known: ${known}.`), options.width),
      ),
    ],
    options,
  );
}

function statementLines(one: DossierStatement, paint: Palette, width: number): readonly string[] {
  const { labels, status, vulnerability, reason, author, packages, told, remedy } = one;
  const state = status === 'affected' ? paint.bad(statusText(one)) : statusText(one);
  const why = reason === undefined ? '' : `: ${reason}${author === undefined ? '' : ` (${author})`}`;
  const lines = [
    ...packages.map((held) => {
      const way = held.path.length > 1 ? ` through ${held.path.slice(0, -1).join(' > ')}` : '';
      return `${held.purl} in ${held.lockfile}${way}, ${timeOfPackage(held, one)}`;
    }),
    ...(told.length === 0
      ? ['nobody is known to have been told']
      : [`told: ${told.map(({ route, at }) => `${route} ${at}`).join(', ')}`]),
    ...(remedy === undefined ? [] : [`known upgrade: ${remedy}`]),
  ];
  return [
    `${paint.strong(printable(productName(one)))}${labelsText(labels, paint)}`,
    ...hang('  ', `${state}${printable(`${why}  ${vulnerability}`)}`, width),
    ...lines.flatMap((line) => hang('    ', printable(line), width)),
  ];
}
