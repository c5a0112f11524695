/** Path of the document that tells a site of the deployment the URLs of its deployment. */
export const siteConfigPath = '/config.json';

/** The encodings of the files that the build writes, smallest first (RFC 9110 §8.4.1). */
export type ContentEncoding = 'br' | 'gzip';

/** The suffix of a file's name for each encoding. */
export const compressedExtensions: { readonly [Encoding in ContentEncoding]: string } = { br: '.br', gzip: '.gz' };

/** The folder of a site's files, next to the bundle of the Lambda that serves them. */
export const siteFolder = 'site';
