import { RATED_SEVERITIES } from '../../model/scan/severity.ts';
import type { Call } from '../../server/api/operation.ts';
import type { Principal } from '../../server/api/principal.ts';
import { RANK, SEARCHED, type ViewedFinding, type ViewedTarget } from '../../server/view/viewed-target.ts';
import { stateOf } from '../fleet/findings.ts';
import { labelTest } from '../fleet/fleet-store.ts';
import { searchWords } from './search-words.ts';
import { labelsOf } from './serve-context.ts';
import { sinceOf } from './since.ts';

/** What decides which findings fit. */
export type FindingFilters = Call<'lockhound.findings.count'>['params'];

type FindingTest = (finding: ViewedFinding) => boolean;
type HolderTest = (holder: ViewedTarget) => boolean;

/** What a finding and its target have to pass. */
export interface FindingTests {
  readonly holder: readonly HolderTest[];
  readonly finding: readonly FindingTest[];
}

/** The tests of what a caller asks for and may see. Only what is asked for is tested, because lists are long. */
export function testsOf(filters: FindingFilters, principal: Principal): FindingTests {
  const words = searchWords(filters.search);
  return {
    holder: [...targetTests(filters, principal), ...words.map(holderSearch)],
    finding: [
      ...stateTests(filters),
      ...ratingTests(filters),
      ...packageTests(filters),
      ...words.map(findingSearch),
    ],
  };
}

function targetTests({ target, label }: FindingFilters, principal: Principal): readonly HolderTest[] {
  const labels = labelsOf(label);
  const tests: HolderTest[] = [];
  if (target !== undefined) tests.push((one) => one.target === target);
  if (!principal.seesAll) tests.push((one) => principal.sees(one.target));
  if (labels !== undefined) {
    const fits = labelTest(labels);
    tests.push((one) => fits(one.labels));
  }
  return tests;
}

/** Whether one of its findings may have the word. */
function holderSearch(word: string): HolderTest {
  return ({ [SEARCHED]: searched = '' }) => searched.includes(word);
}

function findingSearch(word: string): FindingTest {
  return (one) => one[SEARCHED].includes(word);
}

function stateTests({ state = 'open', notes = false }: FindingFilters): readonly FindingTest[] {
  const tests: FindingTest[] = [];
  if (state !== 'all') tests.push((one) => state === stateOf(one.finding, one.status));
  if (!notes) tests.push((one) => one.finding.level === 'alert');
  return tests;
}

function ratingTests({ rule, severity, since: from }: FindingFilters): readonly FindingTest[] {
  const tests: FindingTest[] = [];
  const since = sinceOf(from);
  if (rule !== undefined) {
    const rules = new Set(rule);
    tests.push((one) => rules.has(one.finding.rule));
  }
  if (severity !== undefined) {
    const rank = RATED_SEVERITIES.indexOf(severity);
    tests.push((one) => one[RANK] <= rank);
  }
  if (since !== undefined) tests.push((one) => Date.parse(one.changedAt) >= since);
  return tests;
}

function packageTests(filters: FindingFilters): readonly FindingTest[] {
  const { ecosystem, package: purl, direct = false, advisory: id } = filters;
  const tests: FindingTest[] = [];
  if (ecosystem !== undefined) tests.push((one) => one.finding.package.ecosystem === ecosystem);
  if (direct) tests.push((one) => one.finding.package.direct === true);
  if (purl !== undefined) {
    // The version of a purl follows its only unencoded `@`.
    const anyVersion = `${purl}@`;
    tests.push(({ finding: { package: own } }) => own.purl === purl || own.purl.startsWith(anyVersion));
  }
  if (id !== undefined) {
    tests.push(({ finding: { advisory } }) => advisory?.id === id || advisory?.aliases.includes(id) === true);
  }
  return tests;
}
