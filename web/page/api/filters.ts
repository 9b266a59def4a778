import type { MethodId, Params } from './call.ts';
import { FILTERS } from './methods.generated.ts';

type FilteredId = keyof typeof FILTERS & MethodId;

/** The parameters of a list by which a view filters. */
export type FiltersOf<Id extends FilteredId> = Omit<Params<Id>, 'pageSize' | 'pageToken' | 'skip'>;

interface Filter {
  readonly kind: 'text' | 'flag' | 'list';
  /** Absent: any text. */
  readonly values?: readonly string[];
  readonly pattern?: string;
}

/** The filters of an address, for a method of the API. What is not valid is ignored. */
export function filtersIn<Id extends FilteredId>(id: Id, address: URLSearchParams): Partial<FiltersOf<Id>> {
  const filters = Object.entries<Filter>(FILTERS[id]).flatMap(([name, { kind, values, pattern = '' }]) => {
    const given = address
      .getAll(name)
      .filter((one) => one !== '' && values?.includes(one) !== false && new RegExp(pattern).test(one));
    const [first] = given;
    if (first === undefined || (kind === 'flag' && first !== 'true')) return [];
    return [[name, kind === 'flag' ? true : kind === 'list' ? given : first] as const];
  });
  return Object.fromEntries(filters) as Partial<FiltersOf<Id>>;
}

/** The names of the filters of a method that have no field of their own in a form, by their kind. */
export function otherFilters(id: FilteredId, own: readonly string[]) {
  const others = Object.entries<Filter>(FILTERS[id]).filter(([name]) => !own.includes(name));
  const named = (isFlag: boolean) =>
    others.flatMap(([name, { kind }]) => ((kind === 'flag') === isFlag ? name : []));
  return { flags: named(true), texts: named(false) };
}
