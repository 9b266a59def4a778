import type { ComponentChildren } from 'preact';
import type { FindingBreakdown } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { FilterForm } from '../../parts/filter-form.tsx';
import { counted } from '../../parts/format.ts';
import { LabelFields } from '../../parts/labels.tsx';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { RATED } from '../../parts/severity.tsx';
import { addressOf, place } from '../../routing/location.ts';
import { type Filters, filtersOf, findingsAddress } from '../findings/filters.ts';
import { GroupBars } from './group-bars.tsx';
import { SeverityHeat } from './severity-heat.tsx';

/** Open findings by age, due date, label, owner and licence. The address has the filters. */
export function ChartsView() {
  const { params } = place.value;
  const { severity, label } = filtersOf(params);
  const filters: Filters = { severity, label };
  const ages = useGroups('age', filters);
  const names = ages.value?.labels ?? [];
  const named = params.get('heat') ?? names[0] ?? '';
  return (
    <>
      <ViewHead title="Charts" note="Open findings in groups. The trend is on the overview." />
      <FilterForm
        label="Filters of the charts"
        addressOf={(values) => addressOf('/charts', { ...filtersOf(values), heat: values.get('heat') ?? '' })}
      >
        <Choice
          name="severity"
          label="At least"
          value={severity}
          options={[['', 'Any severity'], ...RATED.map((one) => [one, one] as const)]}
        />
        {named === '' ? null : (
          <Choice
            name="heat"
            label={`Rows by label${ages.value?.omittedLabels === undefined ? '' : ` (${ages.value.omittedLabels} more are not listed)`}`}
            value={named}
            options={[...new Set([named, ...names])].map((name) => [name, name] as const)}
          />
        )}
        <LabelFields chosen={label} />
        <a class="button quiet" href="/charts">
          Clear
        </a>
      </FilterForm>
      <div class="grid">
        <Card title="Age">
          <Shown loaded={ages}>
            {({ groups }) => <GroupBars label="Open findings by age" heading="Open for" groups={groups} />}
          </Shown>
        </Card>
        <DueCard filters={filters} />
        <HeatCard
          title={`Label ${named}`}
          by={`label:${named}`}
          filters={filters}
          nothing="No finding is open in a target with this label."
        >
          {(name) =>
            name === undefined ? (
              <span class="faint">without the label</span>
            ) : (
              <a href={findingsAddress({ ...filters, label: [...(label ?? []), `${named}=${name}`] })}>
                {name}
              </a>
            )
          }
        </HeatCard>
        <HeatCard
          title="Owners"
          by="owner"
          filters={filters}
          nothing="No open finding has an owner. CODEOWNERS of a source or the configuration (owners) name them."
        >
          {(owner) =>
            owner === undefined ? (
              <span class="faint">without an owner</span>
            ) : (
              <a href={findingsAddress({ ...filters, owner })}>{owner}</a>
            )
          }
        </HeatCard>
        <HeatCard
          title="Assigned to"
          by="assignee"
          filters={filters}
          nothing="Nobody is named. Select issues, and assign them."
        >
          {(assignee) =>
            assignee === undefined ? (
              <a href={findingsAddress({ ...filters, unassigned: true })}>nobody</a>
            ) : (
              <a href={findingsAddress({ ...filters, assignee })}>{assignee}</a>
            )
          }
        </HeatCard>
        <LicenceCard filters={filters} />
      </div>
    </>
  );
}

/** Groups that are shown of each kind; the command `lockhound findings breakdown` has all. */
const SHOWN = 20;

function useGroups(by: string, filters: Filters) {
  const params = { ...filters, by, limit: SHOWN };
  return useLoaded(by === 'label:' ? '' : `groups ${JSON.stringify(params)}`, (signal) =>
    call('lockhound.findings.breakdown', params, { signal }),
  );
}

function DueCard({ filters }: { readonly filters: Filters }) {
  const loaded = useGroups('due', filters);
  return (
    <Card title="Due dates">
      <Shown loaded={loaded}>
        {({ groups }) => (
          <>
            <GroupBars label="Open findings by due date" heading="Due" groups={groups} />
            {groups.some(({ name }) => name !== 'no due date') ? null : (
              <p class="faint">
                <code>policy.dueIn</code> gives findings of a severity a due date.
              </p>
            )}
          </>
        )}
      </Shown>
    </Card>
  );
}

interface HeatCardProps {
  readonly title: string;
  readonly by: string;
  readonly filters: Filters;
  /** Shown where no finding has a name of this kind. */
  readonly nothing: string;
  /** The name of a row. */
  readonly children: (name: string | undefined) => ComponentChildren;
}

function HeatCard({ title, by, filters, nothing, children }: HeatCardProps) {
  const loaded = useGroups(by, filters);
  if (by === 'label:') return null;
  return (
    <Card title={`${title}, by severity`} class="whole">
      <Shown loaded={loaded}>
        {(answer) =>
          answer.groups.every(({ name }) => name === undefined) ? (
            <Nothing>{nothing}</Nothing>
          ) : (
            <>
              <SeverityHeat
                label={`${title}: numbers`}
                groups={answer.groups}
                least={filters.severity}
                nameOf={children}
              />
              <Rest answer={answer} />
            </>
          )
        }
      </Shown>
    </Card>
  );
}

function LicenceCard({ filters }: { readonly filters: Filters }) {
  // What a licence is about may be a note alone.
  const loaded = useGroups('license', { ...filters, notes: true });
  return (
    <Card title="Licences" aside={<a href="/findings?rule=licenses&rule=license-changed&notes=true">All</a>}>
      <Shown loaded={loaded}>
        {(answer) =>
          answer.groups.length === 0 ? (
            <Nothing>
              No finding about a licence is open. <code>policy.licenses</code> says which ones are permitted.
            </Nothing>
          ) : (
            <>
              <GroupBars label="Findings by licence" heading="Licence" groups={answer.groups} />
              <Rest answer={answer} />
            </>
          )
        }
      </Shown>
    </Card>
  );
}

function Rest({ answer: { groups, different } }: { readonly answer: FindingBreakdown }) {
  const rest = different - groups.length;
  return rest <= 0 ? null : <p class="faint">{counted(rest, 'further row')} with less severe findings.</p>;
}
