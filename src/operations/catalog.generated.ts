// Generated from src/operations/<noun>/<verb>.ts by `npm run generate`. Do not edit.

/** Loads the function of each method, by its id. */
export const OPERATIONS = {
  'lockhound.findings.count': async () => (await import('./findings/count.ts')).countFindings,
  'lockhound.findings.get': async () => (await import('./findings/get.ts')).getFinding,
  'lockhound.findings.list': async () => (await import('./findings/list.ts')).listFindings,
  'lockhound.findings.report': async () => (await import('./findings/report.ts')).reportFindings,
  'lockhound.packages.where': async () => (await import('./packages/where.ts')).findPlaces,
  'lockhound.targets.acceptCorrections': async () => (await import('./targets/accept-corrections.ts')).acceptCorrections,
  'lockhound.targets.forget': async () => (await import('./targets/forget.ts')).forgetTarget,
  'lockhound.targets.get': async () => (await import('./targets/get.ts')).getTarget,
  'lockhound.targets.inventory': async () => (await import('./targets/inventory.ts')).listInventory,
  'lockhound.targets.list': async () => (await import('./targets/list.ts')).listTargets,
};
