declare module 'iconv-lite/encodings/sbcs-data-generated.js' {
  /** The characters of the octets 128 to 255 by the name of a charset, or another name of the charset. */
  const charsets: Readonly<Record<string, string | { readonly chars: string }>>;
  export default charsets;
}
