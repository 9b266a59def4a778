/** Members that the local service adds to their answers. No field of the public service has such a name, because its names have no colon. */

/**
 * On the page of a batch: the indexes of the misses that the data does not cover, because it is partial. Such a miss says nothing about the
 * registry. In a Package object, it is `true`: versions exist that are not in the list.
 */
export const UNCOVERED = 'lockhound:uncovered';
