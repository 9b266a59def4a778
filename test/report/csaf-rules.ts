// biome-ignore lint/suspicious/noExplicitAny: a document of another format
type Json = any;

const STATUSES = ['known_affected', 'known_not_affected', 'fixed', 'under_investigation'] as const;

/**
 * What is wrong with a CSAF 2.0 document by its mandatory tests (section 6.1), as far as they are about what we write: each fault begins with
 * the number of its test. Our own reading of the standard, so that no validator is needed.
 */
export function csafFaults(csaf: Json): readonly string[] {
  const { document, product_tree: tree = {}, vulnerabilities = [] } = csaf;
  return [
    ...documentFaults(document),
    ...treeFaults(tree, vulnerabilities),
    ...(document.category === 'csaf_vex' ? vexFaults(csaf) : []),
    ...vulnerabilities.flatMap(statusFaults),
    ...repeated(vulnerabilities.flatMap(({ cve }: Json) => cve ?? [])).map((cve) => `6.1.23 ${cve}`),
  ];
}

function documentFaults({ category, csaf_version: format, title, publisher, tracking }: Json): string[] {
  const { id, status, version, revision_history: history, ...dates } = tracking;
  const numbers = history.map(({ number }: Json) => number);
  return [
    ...(format === '2.0' && title !== '' && /^\S(.*\S)?$/.test(id) ? [] : ['schema document']),
    ...(publisher.name !== '' && URL.canParse(publisher.namespace) ? [] : ['schema publisher']),
    ...([dates.current_release_date, dates.initial_release_date].every(
      (one: string) => !Number.isNaN(Date.parse(one)),
    )
      ? []
      : ['schema dates']),
    ...(numbers.at(-1) === version ? [] : ['6.1.16']),
    ...(!/^0(\.|$)/.test(version) || status === 'draft' ? [] : ['6.1.17']),
    ...(/^[01](\.|$)/.test(numbers[0]) ? [] : ['6.1.21']),
    ...repeated(numbers).map((one) => `6.1.22 ${one}`),
    ...(['csaf_vex', 'csaf_base'].includes(category) ? [] : ['6.1.26']),
  ];
}

function treeFaults(
  { full_product_names: names = [], relationships = [] }: Json,
  vulnerabilities: Json[],
): string[] {
  const defined = [
    ...names.map(({ product_id: id }: Json) => id),
    ...relationships.map((one: Json) => one.full_product_name.product_id),
  ];
  const used = [
    ...relationships.flatMap((one: Json) => [one.product_reference, one.relates_to_product_reference]),
    ...vulnerabilities.flatMap(
      ({ product_status: status = {}, scores = [], threats = [], remediations = [] }) => [
        ...Object.values(status).flat(),
        ...scores.flatMap(({ products }: Json) => products),
        ...[...threats, ...remediations].flatMap((one: Json) => one.product_ids ?? []),
      ],
    ),
  ];
  const known = new Set(defined);
  return [
    ...used.filter((id) => !known.has(id)).map((id) => `6.1.1 ${id}`),
    ...repeated(defined).map((id) => `6.1.2 ${id}`),
    ...names
      .flatMap((one: Json) => one.product_identification_helper?.purl ?? [])
      .filter((purl: string) => !/^pkg:[a-z.+-][a-z0-9.+-]*\/.+/i.test(purl))
      .map((purl: string) => `6.1.13 ${purl}`),
  ];
}

function vexFaults({ product_tree: tree, vulnerabilities = [] }: Json): string[] {
  return [
    ...(tree === undefined ? ['6.1.27.4'] : []),
    ...(vulnerabilities.length === 0 ? ['6.1.27.11'] : []),
    ...vulnerabilities.flatMap(
      ({ notes = [], product_status: status = {}, cve, ids = [], threats = [], remediations = [] }: Json) => {
        const explained = new Set(
          threats
            .filter(({ category }: Json) => category === 'impact')
            .flatMap(({ product_ids: own }: Json) => own),
        );
        const acted = new Set(remediations.flatMap(({ product_ids: own = [] }: Json) => own));
        return [
          ...(notes.length === 0 ? ['6.1.27.5'] : []),
          ...(STATUSES.some((name) => name in status) ? [] : ['6.1.27.7']),
          ...(cve === undefined && ids.length === 0 ? ['6.1.27.8'] : []),
          ...(status.known_not_affected ?? [])
            .filter((id: string) => !explained.has(id))
            .map((id: string) => `6.1.27.9 ${id}`),
          ...(status.known_affected ?? [])
            .filter((id: string) => !acted.has(id))
            .map((id: string) => `6.1.27.10 ${id}`),
        ];
      },
    ),
  ];
}

function statusFaults({ product_status: status = {}, scores = [], remediations = [] }: Json): string[] {
  return [
    ...repeated(STATUSES.flatMap((name): string[] => [...new Set<string>(status[name] ?? [])])).map(
      (id) => `6.1.6 ${id}`,
    ),
    ...Object.values(status).flatMap((ids) =>
      (ids as string[]).length === 0 ? ['schema product_status'] : repeated(ids as string[]),
    ),
    ...repeated(scores.flatMap(({ products }: Json): string[] => products)).map((id) => `6.1.7 ${id}`),
    ...remediations.flatMap((one: Json) => (one.product_ids === undefined ? ['6.1.29'] : [])),
  ];
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
