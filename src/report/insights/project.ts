import type { TextOptions } from '../text.ts';
import { columns, counted, day, decimal, grouped, heading, lines, paletteOf, rows, UNKNOWN } from './text.ts';
import { type KeyText, keyText, type ProvenanceText, provenanceText } from './version.ts';

interface Scorecard {
  readonly date?: string;
  readonly repository?: { readonly name?: string; readonly commit?: string };
  readonly scorecard?: { readonly version?: string; readonly commit?: string };
  readonly checks?: readonly { readonly name?: string; readonly score?: number; readonly reason?: string }[];
  readonly overallScore?: number;
}

export interface ProjectText {
  readonly projectKey?: { readonly id?: string };
  readonly openIssuesCount?: number | string;
  readonly starsCount?: number | string;
  readonly forksCount?: number | string;
  readonly license?: string;
  readonly description?: string;
  readonly homepage?: string;
  readonly scorecard?: Scorecard;
  readonly ossFuzz?: {
    readonly lineCount?: number | string;
    readonly lineCoverCount?: number | string;
    readonly date?: string;
    readonly configUrl?: string;
  };
}

/** A project with its scorecard and fuzzing coverage. */
export function renderProject(project: ProjectText, options: TextOptions): string {
  const paint = paletteOf(options);
  const { scorecard, ossFuzz } = project;
  return lines([
    heading(project.projectKey?.id ?? '', paint),
    ...rows(
      [
        ['description', [project.description]],
        ['homepage', [project.homepage]],
        ['licence', [project.license]],
        ['stars', [grouped(project.starsCount)]],
        ['forks', [grouped(project.forksCount)]],
        ['open issues', [grouped(project.openIssuesCount)]],
        ['fuzzing', ossFuzz === undefined ? [] : [coverageText(ossFuzz), ossFuzz.configUrl]],
        ['scorecard', scorecard === undefined ? [] : [scorecardText(scorecard)]],
      ],
      paint,
    ),
    ...columns((scorecard?.checks ?? []).map(checkRow), '    '),
  ]);
}

function coverageText({ lineCount, lineCoverCount, date }: NonNullable<ProjectText['ossFuzz']>): string {
  const percent = (100 * Number(lineCoverCount)) / Number(lineCount);
  const share = Number.isFinite(percent) ? ` (${percent.toFixed(1)} %)` : '';
  return `${grouped(lineCoverCount)} of ${grouped(lineCount)} lines${share}, ${day(date)}`;
}

function scorecardText({ overallScore, date, scorecard, repository }: Scorecard): string {
  const made = [scorecard?.version, repository?.commit && `of ${repository.commit}`, day(date)];
  return `${decimal(overallScore)} of 10  (${made.filter(Boolean).join(', ')})`;
}

/** A negative score: the check did not run. */
function checkRow({
  name = '',
  score,
  reason = '',
}: NonNullable<Scorecard['checks']>[number]): readonly string[] {
  return [score === undefined ? UNKNOWN : score < 0 ? '-' : String(score), name, reason];
}

export interface ProjectVersionsText {
  readonly versions?: readonly {
    readonly versionKey?: KeyText;
    readonly relationType?: string;
    readonly relationProvenance?: string;
    readonly slsaProvenances?: readonly ProvenanceText[];
    readonly attestations?: readonly ProvenanceText[];
  }[];
}

/** Versions made from a project; the service gives at most 1,500. */
export function renderProjectVersions({ versions }: ProjectVersionsText, _options: TextOptions): string {
  return lines([
    ...columns(
      (versions ?? []).map(({ versionKey, relationType = '', relationProvenance = '', ...proofs }) => [
        keyText(versionKey),
        relationType,
        relationProvenance,
        [...(proofs.slsaProvenances ?? []), ...(proofs.attestations ?? [])].map(provenanceText).join('; '),
      ]),
    ),
    counted(versions?.length, 'version'),
  ]);
}
