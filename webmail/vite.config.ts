import { join } from 'node:path';
import { defineConfig } from 'vite';

/**
 * The build of the web mail. Files in `assets/` have names with a hash. Nothing is inlined, because the content security
 * policy allows scripts and styles from files alone.
 */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: join(import.meta.dirname, '..', 'node_modules', '.vite-webmail'),
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  oxc: { jsx: { runtime: 'automatic' } },
});
