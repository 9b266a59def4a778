/**
 * The local package-insights service adds this member to what it answers from partial data. On the page of a batch, it lists the indexes of
 * the misses that the data does not cover: such a miss says nothing about the registry. In a Package object, it is `true`: versions
 * exist that are not in the list. No field of the public service can have this name, because the names of its fields have no colon.
 */
export const UNCOVERED = 'lockhound:uncovered';
