/** The name of a method in words: `ArchiveAccount` → `Archive account`, and `GetDNSRecords` → `Get DNS records`. */
export const methodTitle = (method: string): string =>
  method
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word, index) => (index === 0 || /^[A-Z]{2}/.test(word) ? word : word.toLowerCase()))
    .join(' ');
