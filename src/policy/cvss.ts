/** Weights of CVSS v3.0 and v3.1 base metrics (FIRST, specification document, section 7.4). */
const WEIGHTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};
const PRIVILEGES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
};

/**
 * The base score, 0 to 10 in tenths, of a `CVSS:3.0/…` or `CVSS:3.1/…` vector; `undefined` when the text is none or a
 * base metric is missing. Temporal and environmental metrics are passed over.
 */
export function cvss3BaseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const metrics = new Map(vector.split('/').map((part) => part.split(':') as [string, string]));
  const scope = metrics.get('S');
  if (scope !== 'U' && scope !== 'C') return undefined;
  const weight = (metric: string) => lookUp(WEIGHTS[metric], metrics.get(metric));
  const values = ['AV', 'AC', 'UI', 'C', 'I', 'A'].map(weight);
  const privileges = lookUp(PRIVILEGES[scope], metrics.get('PR'));
  if (values.includes(undefined) || privileges === undefined) return undefined;
  const [
    vectorWeight = 0,
    complexity = 0,
    interaction = 0,
    confidentiality = 0,
    integrity = 0,
    availability = 0,
  ] = values;
  const base = 1 - (1 - confidentiality) * (1 - integrity) * (1 - availability);
  const impact = scope === 'U' ? 6.42 * base : 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15;
  if (impact <= 0) return 0;
  const exploitability = 8.22 * vectorWeight * complexity * privileges * interaction;
  return roundUp(Math.min((scope === 'U' ? 1 : 1.08) * (impact + exploitability), 10));
}

/** Own keys only: a vector may say `AV:constructor`. */
function lookUp(
  weights: Readonly<Record<string, number>> | undefined,
  value: string | undefined,
): number | undefined {
  if (weights === undefined || value === undefined || !Object.hasOwn(weights, value)) return undefined;
  return weights[value];
}

/** To the next tenth, on integers so that 4.02 stays clear of floating-point noise (specification, Appendix A). */
function roundUp(value: number): number {
  const scaled = Math.round(value * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}
