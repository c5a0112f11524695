const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of octets in the largest unit of 1,000: `1.5 GB`. */
export const formatOctets = (octets: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, octets)) / 3));
  return new Intl.NumberFormat(undefined, { style: 'unit', unit: units[power]!, unitDisplay: 'short', maximumFractionDigits: 1 }).format(
    octets / 1_000 ** power,
  );
};

export const gigabyte = 1e9;

/** The octets for a typed number of gigabytes; the text itself when it is not a number. */
export const octetsOf = (typed: string): number | string => {
  const gigabytes = Number(typed.trim().replace(',', '.'));
  return typed.trim() === '' || !Number.isFinite(gigabytes) ? typed.trim() : Math.round(gigabytes * gigabyte);
};
