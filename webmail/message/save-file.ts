/** Types that a browser shows without running anything of the file. SVG and HTML are documents, and only saved. */
export const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'application/pdf', 'text/plain']);

/** Raster types of images within a mail. */
export const rasterTypes: ReadonlySet<string> = new Set([...shownTypes].filter((type) => type.startsWith('image/')));

/** Milliseconds after which a `blob:` URL is dropped: the browser has read the file by then. */
const urlLifetime = 60_000;

export const saveFile = (blob: Blob, name: string): void => {
  const href = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), urlLifetime);
};
