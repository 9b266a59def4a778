/** Returns what `work` makes of something that is opened for it, and closes that, also when the work fails. */
export async function closing<Opened extends { close(): unknown }, Result>(
  opening: Opened | Promise<Opened>,
  work: (opened: Opened) => Result | Promise<Result>,
): Promise<Result> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
