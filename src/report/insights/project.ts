import type { Project, ProjectPackageVersions, Scorecard } from '../../model/api/insights-api.generated.ts';
import { keyText, provenanceText } from './package.ts';
import { counted, day, decimal, grouped, heading, line, renderer, rows, table, UNKNOWN } from './view.ts';

/** A project with its scorecard and fuzzing coverage. */
export const renderProject = renderer((project: Project) => {
  const { scorecard, ossFuzz } = project;
  return [
    heading(project.projectKey?.id ?? ''),
    rows([
      ['description', [project.description]],
      ['homepage', [project.homepage]],
      ['licence', [project.license]],
      ['stars', [grouped(project.starsCount)]],
      ['forks', [grouped(project.forksCount)]],
      ['open issues', [grouped(project.openIssuesCount)]],
      ['fuzzing', ossFuzz === undefined ? [] : [coverageText(ossFuzz), ossFuzz.configUrl]],
      ['scorecard', scorecard === undefined ? [] : [scorecardText(scorecard)]],
    ]),
    table((scorecard?.checks ?? []).map(checkRow), '    '),
  ];
});

/** Package versions built from a project; the service returns at most 1,500. */
export const renderProjectVersions = renderer(({ versions }: ProjectPackageVersions) => [
  table(
    (versions ?? []).map(({ versionKey, relationType = '', relationProvenance = '', ...proofs }) => [
      keyText(versionKey),
      relationType,
      relationProvenance,
      [...(proofs.slsaProvenances ?? []), ...(proofs.attestations ?? [])].map(provenanceText).join('; '),
    ]),
  ),
  line(counted(versions?.length, 'version')),
]);

function coverageText({ lineCount, lineCoverCount, date }: NonNullable<Project['ossFuzz']>): string {
  const percent = (100 * Number(lineCoverCount)) / Number(lineCount);
  const share = Number.isFinite(percent) ? ` (${percent.toFixed(1)} %)` : '';
  return `${grouped(lineCoverCount)} of ${grouped(lineCount)} lines${share}, ${day(date)}`;
}

function scorecardText({ overallScore, date, scorecard, repository }: Scorecard): string {
  const origin = [scorecard?.version, repository?.commit && `of ${repository.commit}`, day(date)];
  return `${decimal(overallScore)} of 10  (${origin.filter(Boolean).join(', ')})`;
}

/** A negative score means that the check did not run. */
function checkRow({
  name = '',
  score,
  reason = '',
}: NonNullable<Scorecard['checks']>[number]): readonly string[] {
  return [score === undefined ? UNKNOWN : score < 0 ? '-' : String(score), name, reason];
}
