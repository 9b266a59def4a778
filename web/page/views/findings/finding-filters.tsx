import type { FindingCounts } from '../../../../src/model/api/lockhound-api.generated.ts';
import { otherFilters } from '../../api/filters.ts';
import { Choice, Choices } from '../../parts/choice.tsx';
import { Check, SearchField } from '../../parts/filter-fields.tsx';
import { FilterForm } from '../../parts/filter-form.tsx';
import { LabelFields } from '../../parts/labels.tsx';
import { RATED } from '../../parts/severity.tsx';
import { type Filters, STATES } from './filters.ts';

const STATE_NAMES = { open: 'Open', suppressed: 'Suppressed', resolved: 'Resolved', all: 'All' } as const;

/** Filters with a field of their own. Other flags have a check box, and other texts a field while the address has them. */
const OWN = ['search', 'severity', 'state', 'rule', 'ecosystem', 'target', 'label', 'orderBy', 'by'] as const;

/** What a check box says, and what it means. */
const FLAGS: Readonly<Record<string, readonly [label: string, help: string]>> = {
  direct: ['direct dependencies', 'Only packages that the target requires itself'],
  fixable: ['can be fixed', 'Only findings that a known upgrade clears'],
  notes: ['with notes', 'Also findings that are only reported and never alert'],
  unassigned: ['assigned to nobody', 'Only findings that nobody works on'],
  reverse: ['opposite order', 'The list from its end'],
};

interface FindingFiltersProps {
  /** The method whose filters are offered. */
  readonly method: 'lockhound.findings.list' | 'lockhound.findings.issues';
  /** The address of the view with the filters of the form. */
  readonly addressOf: (values: URLSearchParams) => string;
  /** The address of the view without filters. */
  readonly clear: string;
  readonly orders: readonly (readonly [order: string, name: string])[];
  readonly filters: Omit<Filters, 'orderBy'> & { readonly orderBy?: string | undefined };
  /** Numbers of findings by rule and ecosystem. */
  readonly choices: FindingCounts | undefined;
}

export function FindingFilters(props: FindingFiltersProps) {
  const { filters, choices, orders } = props;
  const others = otherFilters(props.method, OWN);
  const ecosystem = filters.ecosystem === undefined ? [] : [filters.ecosystem];
  const given: Readonly<Record<string, unknown>> = filters;
  return (
    <FilterForm label="Filters of findings" addressOf={props.addressOf}>
      <SearchField value={filters.search} placeholder="Package, title, advisory, target" />
      <Choice
        name="severity"
        label="Severity"
        value={filters.severity}
        options={[
          ['', 'Any'],
          ...RATED.map((one) => [one, one === 'critical' ? one : `${one} or worse`] as const),
        ]}
      />
      <Choice
        name="state"
        label="State"
        value={filters.state ?? 'open'}
        options={STATES.map((one) => [one, STATE_NAMES[one]])}
      />
      <Choices
        name="rule"
        label="Rules"
        chosen={filters.rule ?? []}
        options={countedOptions(choices?.rules, filters.rule)}
      />
      <Choice
        name="ecosystem"
        label="Ecosystem"
        value={filters.ecosystem}
        options={[['', 'Any'], ...countedOptions(choices?.ecosystems, ecosystem)]}
      />
      <label>
        Target
        <input name="target" defaultValue={filters.target ?? ''} placeholder="Exact id" />
      </label>
      <LabelFields chosen={filters.label} />
      <Choice name="orderBy" label="Sort by" value={filters.orderBy ?? 'severity'} options={orders} />
      <div class="checks">
        {others.flags.map((name) => {
          const [label, help] = FLAGS[name] ?? [wordsOf(name)];
          return <Check key={name} name={name} label={label} help={help} value={given[name] === true} />;
        })}
      </div>
      {others.texts.flatMap((name) =>
        [given[name] ?? []].flat().map((value) => (
          <label key={`${name} ${value}`}>
            {capitalised(wordsOf(name))}
            <input name={name} defaultValue={String(value)} />
          </label>
        )),
      )}
      <a class="button quiet" href={props.clear}>
        Clear
      </a>
    </FilterForm>
  );
}

/** `without groups` for `withoutGroups`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names with their numbers, the most frequent first. The chosen ones are always there. */
function countedOptions(
  counts: Readonly<Record<string, number>> | undefined,
  chosen: readonly string[] = [],
): readonly (readonly [value: string, text: string])[] {
  const all = Object.entries({ ...Object.fromEntries(chosen.map((name) => [name, 0])), ...counts });
  return all
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, count]) => [name, `${name} (${count})`] as const);
}
