/** Effect of a difference between two description documents on a client of the first. */
export type DifferenceClass = 'breaking' | 'deprecating' | 'compatible';

export const DIFFERENCE_CLASSES: readonly DifferenceClass[] = ['breaking', 'deprecating', 'compatible'];

/** One difference between the document that a client was built for and another one. */
export interface ContractDifference {
  readonly class: DifferenceClass;
  /** The kind of difference, for programs: `method-removed`, `enum-narrowed`, … */
  readonly kind: string;
  /** Id of the method or name of the schema it is about; `document` for a difference of the document itself. */
  readonly subject: string;
  /** JSON path in the first document; in the second one for what was added. */
  readonly path: string;
  readonly message: string;
}

/** The number of differences in each class. */
export function countDifferences(
  differences: readonly ContractDifference[],
): Readonly<Record<DifferenceClass, number>> {
  const counts = { breaking: 0, deprecating: 0, compatible: 0 };
  for (const { class: name } of differences) counts[name] += 1;
  return counts;
}

/** The result of comparing one API's pinned document with the published one. */
export interface ContractComparison {
  /** Name of the API: `insights`. */
  readonly api: string;
  /** Version and revision of the pinned document. */
  readonly version: string;
  /** Revision of the published document, where it states one. */
  readonly revision: string | undefined;
  /** Address of the published document, without user information and query. */
  readonly source: string;
  readonly differences: readonly ContractDifference[];
}
