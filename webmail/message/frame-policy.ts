const known = new Map<string, Promise<boolean>>();

/** Whether this site's server sends a frame document with its policy. A host that serves the files by itself may drop it. */
export const hasPolicy = (path: string, directives: readonly string[]): Promise<boolean> => {
  const found =
    known.get(path) ??
    fetch(path, { method: 'HEAD' }).then(
      ({ headers }) => directives.every((directive) => headers.get('content-security-policy')?.includes(directive)),
      () => false,
    );
  known.set(path, found);
  return found;
};
