import PostalMime from 'postal-mime';

/** Test strings that every scanner knows; in pieces, so that none takes this file for mail. */
const spamTest = ['XJS*C4JDBQADN1.NSBN3*2IDNEN', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL', 'C.34X'].join('*');
const virusTest = [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', 'H+H*'].join('$');

export type Verdict = 'PASS' | 'FAIL' | 'DISABLED';
export type Scan = { readonly spam: Verdict; readonly virus: Verdict };

/** A message larger than this is searched as it stands, not decoded. */
const largestDecoded = 8 * 1024 * 1024;

const contents = async (message: Buffer): Promise<string[]> => {
  if (message.length > largestDecoded) return [];
  const { text, html, attachments } = await PostalMime.parse(message, { attachmentEncoding: 'arraybuffer' }).catch(() => ({ text: '', html: '', attachments: [] }));
  return [text ?? '', html ?? '', ...attachments.map(({ content }) => (typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1')))];
};

/** What SES's scanners say: FAIL for the test strings of spam (GTUBE) and of viruses (EICAR), else PASS. */
export const scan = async (message: Buffer): Promise<Scan> => {
  const places = [message.toString('latin1'), ...await contents(message)];
  const verdict = (test: string): Verdict => (places.some((place) => place.includes(test)) ? 'FAIL' : 'PASS');
  return { spam: verdict(spamTest), virus: verdict(virusTest) };
};

/** What a rule without scanning says. */
export const notScanned: Scan = { spam: 'DISABLED', virus: 'DISABLED' };
