/** A place in the tree of installed packages: the folder of a name in the `node_modules` of another place. */
export interface Place<T> {
  /** The value of what is installed there; `undefined` where the file has only places below this one. */
  value: T | undefined;
  readonly parent: Place<T> | undefined;
  readonly depth: number;
  /** The places in its `node_modules`, by name. */
  children: Map<string, Place<T>> | undefined;
}

export function newPlace<T>(parent: Place<T> | undefined): Place<T> {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  return { value: undefined, parent, depth, children: undefined };
}

/** The place of a name in the `node_modules` of a place. It is created where the tree does not have it. */
export function placeIn<T>(parent: Place<T>, name: string): Place<T> {
  const known = parent.children?.get(name);
  if (known !== undefined) return known;
  const place = newPlace(parent);
  parent.children ??= new Map();
  parent.children.set(name, place);
  return place;
}

/** Resolves a name as Node does: in the nearest `node_modules` upwards that has it. */
export function findUpwards<T>(name: string, from: Place<T>): T | undefined {
  for (let place: Place<T> | undefined = from; place !== undefined; place = place.parent) {
    const found = place.children?.get(name)?.value;
    if (found !== undefined) return found;
  }
  return undefined;
}
