/**
 * The local package-insights service adds this member to the page of a batch. It lists the indexes of the misses on this page that
 * its data does not cover: such a miss says nothing about the registry. No field of the public service can have this name, because the
 * names of its fields have no colon.
 */
export const UNCOVERED = 'lockhound:uncovered';
