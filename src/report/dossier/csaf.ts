import { packageVersion } from '../../files/package-file.ts';
import { cvssBaseScore } from '../../model/advisories/cvss.ts';
import type {
  Dossier,
  DossierStatement,
  DossierVulnerability,
} from '../../model/api/lockhound-api.generated.ts';
import { webAddress } from '../finding-parts.ts';
import { counted } from '../layout.ts';
import { productName } from './parts.ts';

/** The draft's place in the numbers of its document: versions 0.x.y of CSAF are drafts. */
const VERSIONS: Readonly<Record<Dossier['stage'], string>> = {
  early: '0.1.0',
  notification: '0.2.0',
  final: '0.3.0',
};

const OPEN = 'To be decided';

/** Names of the status of a product in CSAF. */
const STATUS: Readonly<Record<DossierStatement['status'], string>> = {
  affected: 'known_affected',
  not_affected: 'known_not_affected',
  fixed: 'fixed',
  under_investigation: 'under_investigation',
};

interface Stated {
  readonly statement: DossierStatement;
  /** Ids of its products: the target, or each package in it. */
  readonly products: readonly string[];
}

/**
 * The dossier as a draft in the format CSAF 2.0, profile VEX (OASIS Standard, 18 November 2022, section 4.5): products are targets and releases,
 * and packages as components of them. What a person has to decide are notes and details that begin with "To be decided". Routes, scans and
 * lockfiles are not in it. Without any product it is of the generic profile.
 */
export function renderCsaf(dossier: Dossier): string {
  const { tree, stated } = productTree(dossier);
  const vulnerabilities = dossier.vulnerabilities.map((one, index) => {
    const isFirst = dossier.vulnerabilities.findIndex((other) => cveOf(other) === cveOf(one)) === index;
    return vulnerability(one, stated.get(one.id) ?? [], isFirst ? cveOf(one) : undefined);
  });
  const document = {
    document: head(dossier),
    ...(dossier.statements.length === 0 ? {} : { product_tree: tree }),
    ...(vulnerabilities.length === 0 ? {} : { vulnerabilities }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function head({ id, subject, stage, createdAt, publisher, statements, count, counts, decisions }: Dossier) {
  const number = VERSIONS[stage];
  const stated = Object.entries(counts).map(([status, many]) => `${many} ${status.replaceAll('_', ' ')}`);
  return {
    category: statements.length === 0 ? 'csaf_base' : 'csaf_vex',
    csaf_version: '2.0',
    lang: 'en',
    title: `${subject}: draft of the ${STAGES[stage]}`,
    notes: [
      {
        category: 'summary',
        title: 'Status',
        text: `${counted(count, 'statement')}: ${stated.join(', ') || 'none'}.`,
      },
      ...decisions.map(({ field, question, known }) => ({
        category: 'other',
        title: `${OPEN}: ${field}`,
        text: known === undefined ? question : `${question} Known: ${known}.`,
      })),
    ],
    publisher: {
      category: 'vendor',
      name: publisher?.name ?? `${OPEN}: name of the manufacturer`,
      namespace: publisher?.namespace ?? 'https://to-be-decided.invalid',
      ...(publisher?.contact === undefined ? {} : { contact_details: publisher.contact }),
    },
    tracking: {
      id,
      status: 'draft',
      version: number,
      initial_release_date: createdAt,
      current_release_date: createdAt,
      revision_history: [{ number, date: createdAt, summary: `Draft of the ${STAGES[stage]}` }],
      generator: { date: createdAt, engine: { name: 'Lockhound', version: packageVersion() } },
    },
  };
}

export const STAGES: Readonly<Record<Dossier['stage'], string>> = {
  early: 'early warning (24 hours)',
  notification: 'notification (72 hours)',
  final: 'final report',
};

/** Targets, packages, and packages in targets, with what is stated of them by vulnerability. */
function productTree({ statements }: Dossier) {
  const targets = new Map<string, string>();
  const components = new Map<string, string>();
  const relationships = new Map<string, object>();
  const stated = new Map<string, Stated[]>();
  for (const statement of statements) {
    const target = targets.get(statement.target) ?? `target-${targets.size + 1}`;
    targets.set(statement.target, target);
    const products = new Set<string>();
    // What is fixed is the product, not the version that it held.
    for (const { purl, path } of statement.status === 'fixed' ? [] : statement.packages) {
      const component = components.get(purl) ?? `package-${components.size + 1}`;
      components.set(purl, component);
      const id = `${target}:${component}`;
      products.add(id);
      const through = path.length > 1 ? ` through ${path.slice(0, -1).join(' > ')}` : '';
      if (relationships.has(id)) continue;
      relationships.set(id, {
        category: 'default_component_of',
        product_reference: component,
        relates_to_product_reference: target,
        full_product_name: { name: `${purl} in ${productName(statement)}${through}`, product_id: id },
      });
    }
    if (products.size === 0) products.add(target);
    const known = stated.get(statement.vulnerability) ?? [];
    stated.set(statement.vulnerability, known);
    known.push({ statement, products: [...products] });
  }
  const names = new Map(statements.map((one) => [one.target, productName(one)]));
  const tree = {
    full_product_names: [
      ...Array.from(targets, ([target, id]) => ({ name: names.get(target), product_id: id })),
      ...Array.from(components, ([purl, id]) => ({
        name: purl,
        product_id: id,
        product_identification_helper: { purl },
      })),
    ],
    ...(relationships.size === 0 ? {} : { relationships: [...relationships.values()] }),
  };
  return { tree, stated };
}

function vulnerability(one: DossierVulnerability, stated: readonly Stated[], cve: string | undefined) {
  const { id, aliases, title = id, exploited, exploitedSince = '' } = one;
  const idsOf = (status: DossierStatement['status']) =>
    stated.filter(({ statement }) => statement.status === status).flatMap(({ products }) => products);
  const status = Object.entries(STATUS).flatMap(([name, key]) => {
    const products = idsOf(name as DossierStatement['status']);
    return products.length === 0 ? [] : [[key, products] as const];
  });
  const affected = idsOf('affected');
  const score = cvssOf(one);
  const address = webAddress(one.url);
  const others = [id, ...aliases].filter((name) => name !== cve);
  const unknown = reasonsOf(stated, 'under_investigation');
  const threats = [
    ...(exploited === true
      ? [
          {
            category: 'exploit_status',
            details: `In the catalogue of known exploited vulnerabilities since ${exploitedSince}`,
          },
        ]
      : []),
    ...reasonsOf(stated, 'not_affected').map(([details, products]) => ({
      category: 'impact',
      details,
      product_ids: products,
    })),
  ];
  const remediations = remediationsOf(stated);
  return {
    title,
    ...(cve === undefined ? {} : { cve }),
    ...(others.length === 0 ? {} : { ids: others.map((text) => ({ system_name: systemOf(text), text })) }),
    notes: [
      { category: 'summary', text: title },
      ...unknown.map(([text]) => ({ category: 'details', title: 'Under investigation', text })),
    ],
    ...(status.length === 0 ? {} : { product_status: Object.fromEntries(status) }),
    ...(address === undefined ? {} : { references: [{ category: 'external', summary: id, url: address }] }),
    ...(score === undefined || affected.length === 0
      ? {}
      : { scores: [{ cvss_v3: score, products: affected }] }),
    ...(threats.length === 0 ? {} : { threats }),
    ...(remediations.length === 0 ? {} : { remediations }),
  };
}

/** Products with a status by the reason for it. */
function reasonsOf(stated: readonly Stated[], status: DossierStatement['status']) {
  const own = stated.filter(({ statement }) => statement.status === status);
  const groups = Map.groupBy(own, ({ statement: { reason = `${OPEN}: why`, author } }) =>
    author === undefined ? reason : `${reason} (${author})`,
  );
  return Array.from(groups, ([text, all]) => [text, all.flatMap(({ products }) => products)] as const);
}

/** Every affected product has one: what its manufacturer does is decided by a person. */
function remediationsOf(stated: readonly Stated[]) {
  const own = stated.filter(({ statement }) => statement.status === 'affected');
  const groups = Map.groupBy(own, ({ statement: { remedy, reason, author } }) =>
    JSON.stringify([remedy, reason, author]),
  );
  return Array.from(groups.values(), (all) => {
    const [first] = all as [Stated, ...Stated[]];
    const { remedy, reason, author = 'a person' } = first.statement;
    const upgrade = remedy === undefined ? '' : ` Known upgrade of the component: ${remedy}.`;
    return {
      category: 'none_available',
      details:
        reason === undefined
          ? `${OPEN}: what users have to do.${upgrade}`
          : `${OPEN}: what users have to do. Suppressed by ${author}: ${reason}.${upgrade}`,
      product_ids: all.flatMap(({ products }) => products),
    };
  });
}

function cveOf({ id, aliases }: DossierVulnerability): string | undefined {
  return [id, ...aliases].find((name) => /^CVE-\d{4}-\d{4,}$/.test(name));
}

function systemOf(id: string): string {
  return /^[A-Z]+(?=-)/.exec(id)?.[0] ?? 'advisory';
}

/** The score of a vector of version 3; CSAF 2.0 has no later one. */
function cvssOf({ vector = '' }: DossierVulnerability) {
  const [, version] = /^CVSS:(3\.[01])\//.exec(vector) ?? [];
  const baseScore = version === undefined ? undefined : cvssBaseScore(vector);
  if (baseScore === undefined) return undefined;
  const [name] = RATINGS.find(([, least]) => baseScore >= least) ?? ['NONE'];
  return { version, vectorString: vector, baseScore, baseSeverity: name };
}

/** CVSS 3.1, section 5. */
const RATINGS = [
  ['CRITICAL', 9],
  ['HIGH', 7],
  ['MEDIUM', 4],
  ['LOW', 0.1],
] as const;
