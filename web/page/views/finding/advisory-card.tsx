import type { AdvisoryEvidence } from '../../../../src/model/api/lockhound-api.generated.ts';
import { Card } from '../../parts/card.tsx';
import { webAddress } from '../../parts/links.ts';

/** Where names of advisories are published. */
const PUBLISHERS: readonly (readonly [pattern: RegExp, address: string])[] = [
  [/^CVE-\d{4}-\d+$/, 'https://nvd.nist.gov/vuln/detail/'],
  [/^GHSA(?:-[a-z0-9]{4}){3}$/, 'https://github.com/advisories/'],
  [/^(?:GO|RUSTSEC|PYSEC|MAL|OSV)-\d{4}-\d+$/, 'https://osv.dev/vulnerability/'],
];

/** What is known of the advisory. No source states more: what it lacks is said to be not known. */
export function AdvisoryCard({ advisory }: { readonly advisory: AdvisoryEvidence }) {
  const url = webAddress(advisory.url);
  const names = [advisory.id, ...advisory.aliases];
  return (
    <Card title="Advisory">
      <dl class="facts">
        <dt>Says</dt>
        <dd>{advisory.title === '' ? 'not known' : advisory.title}</dd>
        <dt>CVSS</dt>
        <dd>
          {advisory.score ?? 'not known'} <span class="faint">{advisory.vector}</span>
        </dd>
        <dt>Published</dt>
        <dd class="faint">not known</dd>
        <dt>Weakness</dt>
        <dd class="faint">not known (CWE)</dd>
        <dt>References</dt>
        <dd>
          <ul class="plain">
            {url === undefined ? null : (
              <li>
                <Outside url={url} text={url} />
              </li>
            )}
            {names.map((name) => {
              const base = PUBLISHERS.find(([pattern]) => pattern.test(name))?.[1];
              return (
                <li key={name}>{base === undefined ? name : <Outside url={base + name} text={name} />}</li>
              );
            })}
          </ul>
        </dd>
      </dl>
      <p class="faint">
        The text, dates and weaknesses are at the references: the package index does not state them.
      </p>
    </Card>
  );
}

function Outside({ url, text }: { readonly url: string; readonly text: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
