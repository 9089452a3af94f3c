// What both clients need: a bibliography of two, and lines of TAP.
export const bibliography = `@inproceedings{a, title={Attention Is All You Need},
  author={Ashish Vaswani and Noam Shazeer and others}, year=2017}
@article{b, title={A Title of Nothing at All}, author={First Author and Second Author},
  year={2001}}`;

let count = 0;
let bad = 0;

export function check(claim, holds) {
  count += 1;
  bad += holds ? 0 : 1;
  console.log(`${holds ? "ok" : "not ok"} ${count} - ${claim}`);
}

export function end() {
  console.log(`1..${count}`);
  process.exitCode = bad ? 1 : 0;
}
