/** Members that local indexes add to their answers. No field of the public service has such a name, because its names have no colon. */

/**
 * On the page of a batch: the indexes of the misses that the data does not cover, because it is partial. Such a miss says nothing about the
 * registry. In a Package object, it is `true`: versions exist that are not in the list.
 */
export const UNCOVERED = 'lockhound:uncovered';

/**
 * In a Version object, `true`: the index knows advisories alone. Whether the version exists, its date, licences and deprecation are not
 * known. In an Advisory object, `true`: it is an imported one.
 */
export const ADVISORIES_ONLY = 'lockhound:advisoriesOnly';

/** In a Version object: what two sources of advisories say where they differ (`model/scan/claim.ts`). */
export const CLAIMS = 'lockhound:claims';

/** In a Version object, `true`: the service does not have the version, and imported advisories name it. */
export const SERVICE_LACKS = 'lockhound:serviceLacks';
