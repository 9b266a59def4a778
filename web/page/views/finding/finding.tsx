import { Fragment } from 'preact';
import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { graphAddress, targetAddress } from '../../parts/links.ts';
import { Shown, Unnamed } from '../../parts/notice.tsx';
import { Overdue } from '../../parts/overdue.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';
import { Advice } from './advice.tsx';
import { AdvisoryCard } from './advisory-card.tsx';
import { FindingHistory } from './finding-history.tsx';
import { Holders } from './holders.tsx';
import { PathView } from './path-view.tsx';
import { PriorityParts } from './priority-parts.tsx';
import { SuppressButton } from './suppress.tsx';

/** One finding of one target. */
export function FindingView() {
  const { params } = place.value;
  const [target, fingerprint] = [params.get('target') ?? '', params.get('id') ?? ''];
  const isNamed = target !== '' && fingerprint !== '';
  const loaded = useLoaded(isNamed ? `finding ${target} ${fingerprint}` : '', (signal) =>
    call('lockhound.findings.get', { target, fingerprint }, { signal }),
  );
  if (!isNamed) return <Unnamed title="Finding">The address names no finding.</Unnamed>;
  return (
    <Shown title="Finding" loaded={loaded}>
      {(one) => <Details one={one} onChange={loaded.reload} />}
    </Shown>
  );
}

interface DetailsProps {
  readonly one: FleetFinding;
  readonly onChange: () => void;
}

function Details({ one, onChange }: DetailsProps) {
  const { finding, target } = one;
  const { package: locked } = finding;
  const id = `${locked.name}@${locked.version}`;
  const [first] = finding.locations;
  return (
    <>
      <ViewHead
        title={finding.title}
        note={
          <>
            <SeverityBadge severity={finding.severity} /> {locked.name} {locked.version} in{' '}
            <a href={targetAddress(target)}>{target}</a>
          </>
        }
      >
        {finding.suppressed === undefined && one.status === 'open' && may('lockhound.suppressions.add') ? (
          <SuppressButton one={one} onDone={onChange} />
        ) : null}
      </ViewHead>
      <State one={one} />
      <div class="grid">
        <Card title="What to do">
          <Advice finding={finding} />
        </Card>
        <Card
          title="Where it comes from"
          aside={
            <a href={graphAddress(target, first?.path, first?.dependencyPath.at(-1) ?? id)}>Walk the graph</a>
          }
        >
          <PathView target={target} locations={finding.locations} found={id} />
        </Card>
        <Card title="Facts">
          <Facts one={one} />
        </Card>
        {finding.advisory === undefined ? null : <AdvisoryCard advisory={finding.advisory} />}
        {finding.priority === undefined ? null : <PriorityParts priority={finding.priority} />}
        <Holders finding={finding} />
        <FindingHistory one={one} />
      </div>
    </>
  );
}

function State({ one: { status, changedAt, finding } }: { readonly one: FleetFinding }) {
  const { suppressed } = finding;
  if (status === 'resolved') {
    return (
      <p class="notice good">
        Resolved <Time at={changedAt} />.
      </p>
    );
  }
  if (suppressed === undefined) return null;
  return (
    <p class="notice">
      Suppressed by {suppressed.by}
      {suppressed.author === undefined ? '' : ` (${suppressed.author})`}: {suppressed.reason}
      {suppressed.expires === undefined ? null : (
        <>
          . It opens again <Time at={suppressed.expires} />
        </>
      )}
      .
    </p>
  );
}

function Facts({ one }: { readonly one: FleetFinding }) {
  const { finding } = one;
  const { package: locked, kev, epss } = finding;
  return (
    <dl class="facts">
      <dt>Rule</dt>
      <dd>
        {finding.rule}
        {finding.level === 'note' ? ' (note: never an alert)' : ''}
      </dd>
      <dt>Package</dt>
      <dd>
        <code>{locked.purl}</code>
      </dd>
      {locked.groups.length === 0 ? null : (
        <>
          <dt>Groups</dt>
          <dd>{locked.groups.join(', ')}</dd>
        </>
      )}
      {finding.disputed === undefined ? null : (
        <>
          <dt>Disputed</dt>
          <dd>
            {finding.disputed.map(({ source, says, since, versions }) => (
              <p key={source}>
                {source === 'osv' ? 'OSV' : 'The insights service'} says: {says}
                {versions === undefined ? null : `, it lists ${versions}`}
                {since === undefined ? null : (
                  <>
                    {' '}
                    since <Time at={since} />
                  </>
                )}
              </p>
            ))}
          </dd>
        </>
      )}
      {typeof epss?.['score'] === 'number' ? (
        <>
          <dt>EPSS</dt>
          <dd>{(epss['score'] * 100).toFixed(1)} % within 30 days</dd>
        </>
      ) : null}
      {kev?.['listed'] === true ? (
        <>
          <dt>Exploited</dt>
          <dd>in the catalogue of known exploited vulnerabilities</dd>
        </>
      ) : null}
      {one.assigned === undefined ? null : (
        <>
          <dt>Assigned</dt>
          <dd>
            <a href={findingsAddress({ assignee: one.assigned.to })}>{one.assigned.to}</a>{' '}
            <span class="faint">
              by {one.assigned.by}, <Time at={one.assigned.at} />
            </span>
          </dd>
        </>
      )}
      {finding.owners === undefined ? null : (
        <>
          <dt>Owners</dt>
          <dd>
            {finding.owners.map((owner, index) => (
              <Fragment key={owner}>
                {index === 0 ? '' : ', '}
                <a href={findingsAddress({ owner })}>{owner}</a>
              </Fragment>
            ))}
          </dd>
        </>
      )}
      <dt>Opened</dt>
      <dd>
        <Time at={one.openedAt} />
        {finding.age === undefined ? null : (
          <span class="faint"> open for {counted(finding.age.days, 'day')}</span>
        )}
      </dd>
      <dt>Changed</dt>
      <dd>
        <Time at={one.changedAt} />
      </dd>
      {finding.due === undefined ? null : (
        <>
          <dt>Due</dt>
          <dd>
            <Time at={finding.due} />
            <Overdue finding={finding} />
          </dd>
        </>
      )}
    </dl>
  );
}
