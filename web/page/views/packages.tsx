import type {
  HeldPackage,
  HeldPeriod,
  LedgerPoint,
  WhereAnswer,
} from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { type FiltersOf, filtersIn } from '../api/filters.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { ViewHead } from '../parts/card.tsx';
import { Check } from '../parts/filter-fields.tsx';
import { FilterForm } from '../parts/filter-form.tsx';
import { counted } from '../parts/format.ts';
import { LabelFields, LabelList } from '../parts/labels.tsx';
import { graphAddress, targetAddress } from '../parts/links.ts';
import { Nothing, Shown } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { addressOf, place } from '../routing/location.ts';

type Filters = Partial<FiltersOf<'lockhound.packages.where'>>;

/** Which targets hold a package, or held it. The address has the question. */
export function PackagesView() {
  const filters: Filters = filtersIn('lockhound.packages.where', place.value.params);
  const { package: asked = '', ever, label } = filters;
  const loaded = useLoaded(asked === '' ? '' : `where ${JSON.stringify(filters)}`, (signal) =>
    call('lockhound.packages.where', { ...filters, package: asked }, { signal }),
  );
  return (
    <>
      <ViewHead
        title="Packages"
        note="Which targets hold a package, whether something is wrong with it or not."
      />
      <FilterForm
        label="Question about a package"
        addressOf={(values) => addressOf('/packages', filtersIn('lockhound.packages.where', values))}
      >
        <label class="wide">
          Package
          <input
            type="search"
            name="package"
            defaultValue={asked}
            placeholder="lodash, lodash@<4.17.21, pkg:pypi/requests  ( / )"
          />
        </label>
        <LabelFields chosen={label} />
        <div class="checks">
          <Check
            name="ever"
            label="also in the past"
            help="Since when and until when each target held it"
            value={ever}
          />
        </div>
      </FilterForm>
      {asked === '' ? (
        <Nothing>Name a package.</Nothing>
      ) : (
        <Shown loaded={loaded}>{(answer) => <Answer asked={asked} answer={answer} />}</Shown>
      )}
    </>
  );
}

function Answer({ asked, answer }: { readonly asked: string; readonly answer: WhereAnswer }) {
  const { targets, lockfiles, places, periods, similar, otherVersions, notKnown = 0, notCompared } = answer;
  const isNone = places.length === 0 && (periods ?? []).length === 0;
  return (
    <>
      <p class="faint count" role="status">
        {counted(targets, 'target')} in {counted(lockfiles, 'lockfile')}
        {otherVersions.count === 0 ? '' : `; other versions in ${counted(otherVersions.targets, 'target')}`}
        {notKnown === 0
          ? ''
          : `; of ${counted(notKnown, 'target')} the time before the first scan is not known`}
        {notCompared.length === 0 ? '' : `; ${asked} is no range of ${notCompared.join(', ')}`}
      </p>
      {isNone ? (
        <Nothing>
          No target holds {asked}.{similar.length === 0 ? null : ' Similar names:'}
          {similar.map((named) => {
            // `lodash (npm)`
            const [, name = named, ecosystem = ''] = /^([^()]+) \(([^()]+)\)$/.exec(named) ?? [];
            return (
              <a key={named} href={addressOf('/packages', { package: name, ecosystem })}>
                {' '}
                {named}
              </a>
            );
          })}
        </Nothing>
      ) : null}
      {places.length === 0 ? null : (
        <Table label="Places" columns={['Target', 'Version', 'Lockfile', 'Why']}>
          {places.map(placeRow)}
        </Table>
      )}
      {periods === undefined || periods.length === 0 ? null : (
        <Table label="Periods" columns={['Target', 'Version', 'Lockfile', 'Since', 'Until']}>
          {periods.map(periodRow)}
        </Table>
      )}
    </>
  );
}

function placeRow({ target, labels, lockfile, name, version, purl, direct, dependencyPath }: HeldPackage) {
  return (
    <tr key={`${target} ${lockfile} ${purl}`}>
      <td data-label="Target">
        <a href={targetAddress(target)}>{target}</a> <LabelList labels={labels} />
      </td>
      <td data-label="Version">
        {name} {version}
      </td>
      <td data-label="Lockfile">{lockfile}</td>
      <td data-label="Why">
        <a href={graphAddress(target, lockfile, `${name}@${version}`)}>
          {direct === true
            ? 'direct'
            : dependencyPath.length > 1
              ? `via ${dependencyPath[0]}`
              : 'Dependencies'}
        </a>
      </td>
    </tr>
  );
}

function periodRow(period: HeldPeriod) {
  const { target, labels, lockfile, name, version, purl, from, until, notKnownBefore, notKnownAfter } =
    period;
  return (
    <tr key={`${target} ${lockfile} ${purl} ${from?.at}`}>
      <td data-label="Target">
        <a href={targetAddress(target)}>{target}</a> <LabelList labels={labels} />
      </td>
      <td data-label="Version">
        {name} {version}
      </td>
      <td data-label="Lockfile">{lockfile}</td>
      <td data-label="Since">{pointOf(from, notKnownBefore, 'or earlier')}</td>
      <td data-label="Until">{pointOf(until, notKnownAfter, 'or later') ?? 'today'}</td>
    </tr>
  );
}

function pointOf(point: LedgerPoint | undefined, unknown: string | undefined, says: string) {
  if (point !== undefined) return <Time at={point.at} />;
  if (unknown === undefined) return undefined;
  return (
    <>
      <Time at={unknown} /> <span class="faint">{says}</span>
    </>
  );
}
