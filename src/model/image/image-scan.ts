/** The id of the verdict on the image of a scan that names lockfiles too. */
export function imageScanOf(scan: string): string {
  return `${scan}.image`;
}
