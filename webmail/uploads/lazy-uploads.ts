import type { UploadDependencies, Uploads } from './uploads.ts';

/** Uploads whose code is loaded with the first file. */
export const lazyUploads = (dependencies: Omit<UploadDependencies, 'send'>): Uploads => {
  let loaded: Promise<Uploads> | undefined;
  const load = async (): Promise<Uploads> => {
    const [{ createUploads }, { sendByXhr }] = await Promise.all([import('./uploads.ts'), import('./send-by-xhr.ts')]);
    return createUploads({ ...dependencies, send: sendByXhr });
  };
  return {
    async upload(upload) {
      loaded ??= load();
      return (await loaded).upload(upload);
    },
  };
};
