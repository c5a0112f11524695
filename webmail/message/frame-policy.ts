const known = new Map<string, Promise<boolean>>();

/** Whether this site's server sends a frame document with its policy. A host that serves the files by itself may drop it. */
export const hasPolicy = (path: string, directives: readonly string[]): Promise<boolean> => {
  const key = [path, ...directives].join(' ');
  const found =
    known.get(key) ??
    fetch(path, { method: 'HEAD' }).then(
      ({ headers }) => directives.every((directive) => headers.get('content-security-policy')?.includes(directive)),
      () => false,
    );
  known.set(key, found);
  return found;
};
