/** Orders digest entries and deliveries by the date of their scan, then by its id. */
export function compareScans(
  left: { readonly date: string; readonly scan: string },
  right: { readonly date: string; readonly scan: string },
): number {
  return Date.parse(left.date) - Date.parse(right.date) || left.scan.localeCompare(right.scan);
}
