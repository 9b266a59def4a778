/** Members that local indexes add to their answers. No field of the public service has such a name, because its names have no colon. */

/**
 * On the page of a batch: the indexes of the misses that the data does not cover, because it is partial. Such a miss says nothing about the
 * registry. In a Package object, it is `true`: versions exist that are not in the list.
 */
export const UNCOVERED = 'lockhound:uncovered';

/**
 * In a Version object, `true`: the index knows advisories alone. Whether the version exists, its date, licences and deprecation are not
 * known.
 */
export const ADVISORIES_ONLY = 'lockhound:advisoriesOnly';
